import { isRecord } from "@pintle/ai";
import { isSettingKey, SETTING_KEYS, type SettingKey } from "./settings-schema.ts";

/** The content of a settings file as written. */
export type SettingsTree = Record<string, unknown>;

export interface TreeContent {
  /** Not validated yet. */
  values: Map<SettingKey, unknown>;
  /** Groups that are not objects, and keys that occur twice. */
  problems: string[];
  unknown: string[];
}

let allGroups: ReadonlySet<string> | undefined;

/** Returns the names that may be written as an object with the rest of the key in it: `retry`, `task.isolation`, … */
export function groupNames(): ReadonlySet<string> {
  allGroups ??= new Set(SETTING_KEYS.flatMap(prefixes)); // not computed in a start without settings
  return allGroups;
}

function prefixes(key: string): string[] {
  const parts = key.split(".");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
}

/** An object in place of `todo.reminders`, which is also a key, contains keys that start with it: `{"max": 5}`. */
function isGroup(path: string, value: unknown): value is SettingsTree {
  return groupNames().has(path) && isRecord(value);
}

/**
 * Finds the keys of a file, dotted or nested, in any mixture. If a key occurs twice, the later one wins. Goes no deeper than the
 * keys do, whatever the file contains.
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
    else if (isSettingKey(path)) {
      if (content.values.has(path)) content.problems.push(`${path} must be written once, dotted or nested`);
      content.values.set(path, value);
    } else content.problems.push(`${path} must be an object`);
  }
}

/** YAML writes `key:` without a value, callers use an undefined property. */
function isLeftOut(value: unknown): boolean {
  return value === null || value === undefined;
}

/**
 * Returns the tree with one key changed where it is, otherwise added to the innermost existing group. Everything else keeps its
 * position and spelling. Undefined removes the key.
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
  // The group occupies the place of a value (todo.reminders), so its members become siblings.
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
