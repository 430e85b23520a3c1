import { PERMISSION_MODES } from "@pintle/wire";
import { type SettingRows, setting } from "../setting-row.ts";
import { hostDeadline, integer, NO_ITEMS, NO_RULES, oneOf, permissionRules, strings } from "../settings-types.ts";

/** Which calls are allowed, and how long a question about one waits. */
export const PERMISSIONS = {
  "permissions.mode": setting({
    type: oneOf(...PERMISSION_MODES),
    default: "full",
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "What tool calls may do without being asked about: the preset. See permissions.md.",
  }),
  "permissions.rules": setting({
    type: permissionRules,
    default: NO_RULES,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "The user's own rules: what is allowed, asked or denied, stronger than the preset.",
  }),
  "permissions.projectRules": setting({
    type: permissionRules,
    default: NO_RULES,
    isStrict: true,
    project: "always",
    host: "ceiling",
    meaning: "Rules for the files of projects: `ask` and `deny` count, `allow` does not.",
  }),
  "permissions.roots": setting({
    type: strings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "Directories besides the session's own that count as inside.",
  }),
  "permissions.timeoutMs": setting({
    type: hostDeadline,
    default: 300_000,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "How long the question whether a tool call may run waits; then the answer is no.",
  }),
  "permissions.maxDenials": setting({
    type: integer({ min: 0, max: 1000 }),
    default: 5,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "A run ends after so many denials; 0: never.",
  }),
  "budget.timeoutMs": setting({
    type: hostDeadline,
    default: 300_000,
    project: "never",
    host: "any",
    meaning: "How long a run that has used up its budget waits for the host to raise it; then it ends.",
  }),
} satisfies SettingRows;
