import { isRecord } from "@pintle/ai";
import { isSettingKey, SETTING_KEYS, type SettingKey } from "./settings-schema.ts";

/** The content of a settings file as it is written there. */
export type SettingsTree = Record<string, unknown>;

export interface TreeContent {
  /** Not checked yet. */
  values: Map<SettingKey, unknown>;
  /** Groups that are something else. */
  problems: string[];
  unknown: string[];
}

let allGroups: ReadonlySet<string> | undefined;

/** `retry`, `task.isolation`, …: what may be written as an object with the rest of the key in it. */
export function groupNames(): ReadonlySet<string> {
  allGroups ??= new Set(SETTING_KEYS.flatMap(prefixes)); // not in a start without settings
  return allGroups;
}

function prefixes(key: string): string[] {
  const parts = key.split(".");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
}

/** An object in the place of `todo.reminders`, which is a key as well, holds keys that begin with it: `{"max": 5}`. */
function isGroup(path: string, value: unknown): value is SettingsTree {
  return groupNames().has(path) && isRecord(value);
}

/**
 * Finds the keys of a file, whether dotted or nested, in any mixture. Where one is written twice the later place counts.
 * Goes no deeper than the keys do, whatever the file holds.
 */
export function readTree(tree: SettingsTree): TreeContent {
  const content: TreeContent = { values: new Map(), problems: [], unknown: [] };
  collect(tree, "", content);
  return content;
}

function collect(tree: SettingsTree, prefix: string, content: TreeContent): void {
  for (const [name, value] of Object.entries(tree)) {
    const path = prefix + name;
    if (isGroup(path, value)) collect(value, `${path}.`, content);
    else if (!isSettingKey(path) && !groupNames().has(path)) content.unknown.push(path);
    else if (isLeftOut(value)) continue;
    else if (isSettingKey(path)) content.values.set(path, value);
    else content.problems.push(`${path} must be an object`);
  }
}

/** `key:` without a value is how YAML says it, an undefined property how callers do. */
function isLeftOut(value: unknown): boolean {
  return value === null || value === undefined;
}

/**
 * The tree with one key changed: wherever it stands, else in the innermost group that is there. Everything else keeps its
 * place and spelling. undefined takes the key out.
 */
export function changeTree(tree: SettingsTree, key: SettingKey, value: unknown): SettingsTree {
  const isThere = readTree(tree).values.has(key) || value === undefined;
  return isThere ? replace(tree, "", key, value) : insert(tree, "", key, value);
}

function replace(tree: SettingsTree, prefix: string, key: string, value: unknown): SettingsTree {
  return mapEntries(tree, (name, old) => {
    const path = prefix + name;
    if (isGroup(path, old)) return [[name, replace(old, `${path}.`, key, value)]];
    if (path !== key) return [[name, old]];
    return value === undefined ? [] : [[name, value]];
  });
}

function insert(tree: SettingsTree, prefix: string, key: string, value: unknown): SettingsTree {
  const group = Object.keys(tree).find(
    (name) => isGroup(prefix + name, tree[name]) && key.startsWith(`${prefix}${name}.`),
  );
  const old = group === undefined ? undefined : tree[group];
  if (isRecord(old)) {
    const members = insert(old, `${prefix}${group}.`, key, value);
    return mapEntries(tree, (name, old) => [[name, name === group ? members : old]]);
  }
  const slot = key.slice(prefix.length);
  if (!Object.hasOwn(tree, slot)) return mapEntries(tree, (name, old) => [[name, old]], [[slot, value]]);
  // A group stands where the value belongs (todo.reminders): its members move beside it.
  return mapEntries(tree, (name, old) => {
    if (name !== slot) return [[name, old]];
    const members = isRecord(old) ? Object.entries(old) : [];
    return [[slot, value], ...members.map(([member, kept]): Entry => [`${slot}.${member}`, kept])];
  });
}

type Entry = [name: string, value: unknown];

/** `Object.fromEntries` defines properties, so a member called `__proto__` stays an ordinary member. */
function mapEntries(
  tree: SettingsTree,
  change: (name: string, value: unknown) => Entry[],
  more: Entry[] = [],
): SettingsTree {
  return Object.fromEntries([...Object.entries(tree).flatMap(([name, value]) => change(name, value)), ...more]);
}
