import { SANDBOX_MODES } from "@pintle/wire";
import { type SettingRows, setting } from "../setting-row.ts";
import { flag, growingStrings, NO_ITEMS, oneOf } from "../settings-types.ts";

/** Where commands run confined. */
export const SANDBOX = {
  "sandbox.mode": setting({
    type: oneOf(...SANDBOX_MODES),
    default: "auto",
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning:
      "The sandbox that the model's commands run in: `workspace-write` lets them write to the session's directory and to temporary files, `read-only` to nothing; `off` runs them as they are. `auto` follows `permissions.mode`: `read-only` for `plan`, `off` for `full`, else `workspace-write`.",
  }),
  "sandbox.network": setting({
    type: oneOf("on", "off"),
    default: "off",
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "Whether commands in the sandbox can use the network.",
  }),
  "sandbox.write": setting({
    type: growingStrings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning:
      "Further files and directories that commands in the sandbox may write to: caches of build tools, for example.",
  }),
  "sandbox.hide": setting({
    type: growingStrings,
    default: NO_ITEMS,
    isStrict: true,
    project: "always",
    host: "any",
    meaning:
      "Files and directories whose contents commands in the sandbox cannot read, besides `~/.ssh`, `~/.aws` and pintle's own.",
  }),
  "sandbox.require": setting({
    type: oneOf("full", "partial"),
    default: undefined,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning:
      "The least strength of the sandbox; on a system that cannot give it, commands are refused. Without it they run with what there is, and with nothing where there is nothing.",
  }),
  "sandbox.userCommands": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "Whether the user's own commands run in the sandbox as well.",
  }),
  "sandbox.mcp": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "Whether MCP servers that are started as programs run in the sandbox as well.",
  }),
} satisfies SettingRows;
