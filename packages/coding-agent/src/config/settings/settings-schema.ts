import { BACKGROUND } from "./rows/background.ts";
import { CHECKPOINTS } from "./rows/checkpoints.ts";
import { COMPACTION } from "./rows/compaction.ts";
import { HOST } from "./rows/host.ts";
import { IMAGES } from "./rows/images.ts";
import { MCP } from "./rows/mcp.ts";
import { MODELS } from "./rows/models.ts";
import { PERMISSIONS } from "./rows/permissions.ts";
import { PROGRAMS } from "./rows/programs.ts";
import { RESOURCES } from "./rows/resources.ts";
import { RETRY } from "./rows/retry.ts";
import { RULES } from "./rows/rules.ts";
import { RUNS } from "./rows/runs.ts";
import { SANDBOX } from "./rows/sandbox.ts";
import { SERVE } from "./rows/serve.ts";
import { SESSIONS } from "./rows/sessions.ts";
import { TERMINAL } from "./rows/terminal.ts";
import { TODOS } from "./rows/todos.ts";
import { TOOLS } from "./rows/tools.ts";
import { TRACES } from "./rows/traces.ts";
import type { SettingRow, SettingRows } from "./setting-row.ts";
import { SettingsError } from "./settings-error.ts";

/**
 * One row per key, one file per topic. Type, validation, default, trust and the reference page (docs/settings.md), which keeps
 * this order, are derived from it.
 */
export const SETTINGS = {
  ...MODELS,
  ...RUNS,
  ...COMPACTION,
  ...RETRY,
  ...PERMISSIONS,
  ...TODOS,
  ...RULES,
  ...BACKGROUND,
  ...TOOLS,
  ...MCP,
  ...PROGRAMS,
  ...TRACES,
  ...SANDBOX,
  ...CHECKPOINTS,
  ...RESOURCES,
  ...IMAGES,
  ...SESSIONS,
  ...HOST,
  ...SERVE,
  ...TERMINAL,
} satisfies SettingRows;

export type SettingKey = keyof typeof SETTINGS;

/** The type of `settings.get(key)`. */
export type SettingValue<K extends SettingKey> =
  (typeof SETTINGS)[K] extends SettingRow<infer T, infer D> ? (undefined extends D ? T | undefined : T) : never;

const ROWS: ReadonlyMap<string, SettingRow<unknown>> = new Map(Object.entries(SETTINGS));

/** Every key, in the order of the table. */
export const SETTING_KEYS = [...ROWS.keys()] as readonly SettingKey[];

export function isSettingKey(name: string): name is SettingKey {
  return ROWS.has(name);
}

/** Returns the row without the type of its value, for code that treats all rows alike. */
export function settingRow(key: SettingKey): SettingRow<unknown> {
  const row = ROWS.get(key);
  if (!row) throw new SettingsError(`unknown setting ${key}`); // for callers without types
  return row;
}
