import { type SettingKey, settingRow } from "./settings-schema.ts";
import { readTree, type SettingsTree } from "./settings-tree.ts";
import { unknownKeyText } from "./unknown-keys.ts";

/** Checked values from one source. A key with the value undefined says "none", which is stronger than not being there. */
export type Layer = Map<SettingKey, unknown>;

interface CheckedValues {
  layer: Layer;
  problems: string[];
  /** Those of the problems that a program must not start with. */
  serious: string[];
}

/** What is wrong is left out, so that the next weaker layer counts. */
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

/** Values from a caller, where nothing may be dropped silently. */
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
