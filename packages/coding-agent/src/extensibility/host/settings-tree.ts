import { isRecord } from "@pintle/ai";
import type { Settings } from "../../config/settings/settings.ts";
import { SETTING_KEYS } from "../../config/settings/settings-schema.ts";

type Tree = Record<string, unknown>;

/** Returns a copy of every setting as a tree: `compaction.enabled` becomes `{compaction: {enabled}}`. */
export function settingsTree(settings: Pick<Settings, "get">): Tree {
  const tree: Tree = {};
  for (const key of SETTING_KEYS) {
    const names = key.split(".");
    const last = names.pop() ?? key;
    let branch = tree;
    for (const name of names) branch = child(branch, name);
    branch[last] = structuredClone(settings.get(key));
  }
  return tree;
}

function child(branch: Tree, name: string): Tree {
  const known = branch[name];
  if (isRecord(known)) return known;
  const made: Tree = {};
  branch[name] = made;
  return made;
}
