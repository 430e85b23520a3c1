import { type SettingKey, settingRow } from "./settings-schema.ts";
import { readTree, type SettingsTree } from "./settings-tree.ts";
import { unknownKeyText } from "./unknown-keys.ts";

/** Validated values from one source. A key with the value undefined means "none", which overrides weaker layers. */
export type Layer = Map<SettingKey, unknown>;

interface CheckedValues {
  layer: Layer;
  problems: string[];
  /** The problems that must prevent a program from starting. */
  serious: string[];
}

/** Drops wrong values, so that the next weaker layer applies. */
export function checkValues(values: Iterable<readonly [SettingKey, unknown]>): CheckedValues {
  const layer: Layer = new Map();
  const problems: string[] = [];
  const serious: string[] = [];
  for (const [key, input] of values) {
    const { type, isStrict } = settingRow(key);
    const result = type.read(input);
    const problem = `${key} must be ${type.expected}`;
    if (result) layer.set(key, result.value);
    else problems.push(problem);
    if (!result && isStrict) serious.push(problem);
  }
  return { layer, problems, serious };
}

/** Reads values from a caller, and never drops one silently. */
export function readExplicit(tree: SettingsTree): { layer: Layer; errors: string[] } {
  const { values, problems, unknown } = readTree(tree);
  const checked = checkValues(values);
  const errors = [
    ...unknown.map((path) => `unknown setting ${unknownKeyText(path)}`),
    ...problems,
    ...checked.problems,
  ];
  return { layer: checked.layer, errors };
}
