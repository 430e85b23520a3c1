import { SANDBOX_MODES } from "@pintle/wire";
import { type SettingRows, setting } from "../setting-row.ts";
import { flag, growingStrings, NO_ITEMS, networkAccess, oneOf } from "../settings-types.ts";

/** The sandbox in which commands run. */
export const SANDBOX = {
  "sandbox.mode": setting({
    type: oneOf(...SANDBOX_MODES),
    default: "auto",
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning:
      "The sandbox for the model's commands. `workspace-write` lets them write to the session's directory and to temporary files, `read-only` to nothing; `off` disables the sandbox. `auto` follows `permissions.mode`: `read-only` for `plan`, `off` for `full`, otherwise `workspace-write`.",
  }),
  "sandbox.network": setting({
    type: networkAccess,
    default: "off",
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning:
      "What commands in the sandbox can reach on the network: everything (`on`), nothing (`off`), or only these hosts. Ports are 80 and 443 unless an entry names one; `*.` stands for all subdomains.",
  }),
  "sandbox.write": setting({
    type: growingStrings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "Additional files and directories that sandboxed commands may write to, such as caches of build tools.",
  }),
  "sandbox.hide": setting({
    type: growingStrings,
    default: NO_ITEMS,
    isStrict: true,
    project: "always",
    host: "any",
    meaning:
      "Files and directories whose contents sandboxed commands cannot read, in addition to `~/.ssh`, `~/.aws` and pintle's own.",
  }),
  "sandbox.require": setting({
    type: oneOf("full", "partial"),
    default: undefined,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning:
      "Minimum strength of the sandbox. Commands are refused on a system that cannot provide it. If unset, commands run with whatever sandbox the system provides, or with none.",
  }),
  "sandbox.userCommands": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "Also run the user's own commands in the sandbox.",
  }),
  "sandbox.mcp": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "Also run MCP servers that pintle starts in the sandbox.",
  }),
} satisfies SettingRows;
