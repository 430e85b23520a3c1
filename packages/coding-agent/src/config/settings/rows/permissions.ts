import { PERMISSION_MODES } from "@pintle/wire";
import { type SettingRows, setting } from "../setting-row.ts";
import { hostDeadline, integer, NO_ITEMS, NO_RULES, oneOf, permissionRules, strings } from "../settings-types.ts";

/** Which calls are allowed, and how long an approval question waits. */
export const PERMISSIONS = {
  "permissions.mode": setting({
    type: oneOf(...PERMISSION_MODES),
    default: "full",
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "The permission preset: what tools may do without asking. See permissions.md.",
  }),
  "permissions.rules": setting({
    type: permissionRules,
    default: NO_RULES,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "Your rules: what is allowed, asked about or denied. They override the preset.",
  }),
  "permissions.projectRules": setting({
    type: permissionRules,
    default: NO_RULES,
    isStrict: true,
    project: "always",
    host: "ceiling",
    meaning: "Rules in project settings: `ask` and `deny` apply, `allow` is ignored.",
  }),
  "permissions.roots": setting({
    type: strings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "Directories that belong to the workspace in addition to the session's own.",
  }),
  "permissions.timeoutMs": setting({
    type: hostDeadline,
    default: 300_000,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "How long an approval question waits before the answer is no.",
  }),
  "permissions.maxDenials": setting({
    type: integer({ min: 0, max: 1000 }),
    default: 5,
    isStrict: true,
    project: "never",
    host: "ceiling",
    meaning: "Number of denials after which a run ends; 0 means no limit.",
  }),
  "budget.timeoutMs": setting({
    type: hostDeadline,
    default: 300_000,
    project: "never",
    host: "any",
    meaning: "How long a run that has used up its budget waits for the host to raise it before it ends.",
  }),
} satisfies SettingRows;
