import { readExplicit } from "./settings-layer.ts";
import { isSettingKey, settingRow } from "./settings-schema.ts";
import { readTree, type SettingsTree } from "./settings-tree.ts";
import { shown } from "./shown-name.ts";

/**
 * Parses the values of `--set key=value` for `applyOverrides`. The last value of a key wins. A value is JSON, otherwise a
 * string. The error is for the user and names every mistake.
 */
export function parseSetFlags(flags: readonly string[]): { overrides: Record<string, unknown> } | { error: string } {
  const values = new Map<string, unknown>();
  const errors: string[] = [];
  for (const flag of flags) {
    const { tree, errors: wrong } = parseSetFlag(flag);
    for (const [key, value] of readTree(tree).values) values.set(key, value);
    errors.push(...wrong.map((error) => `--set: ${error}`));
  }
  return errors.length === 0 ? { overrides: Object.fromEntries(values) } : { error: errors.join("\n") };
}

function parseSetFlag(flag: string): { tree: SettingsTree; errors: string[] } {
  const at = flag.indexOf("=");
  if (at < 1) return { tree: {}, errors: [`${shown(flag)} is not of the form key=value`] };
  const key = flag.slice(0, at).trim();
  const value = parseValue(key, flag.slice(at + 1));
  // In a file, null omits the key. Here it has no meaning.
  if (value === null) return { tree: {}, errors: [`${shown(key)} cannot be null`] };
  const tree = { [key]: value };
  return { tree, errors: readExplicit(tree).errors };
}

function parseValue(key: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const isScalar = typeof value === "number" || typeof value === "boolean";
  const takesText = isSettingKey(key) && settingRow(key).type.isText;
  return isScalar && takesText ? text : value;
}
