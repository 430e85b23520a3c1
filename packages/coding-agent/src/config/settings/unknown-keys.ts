import { isNearName, nearNames } from "@pintle/agent";
import { SETTING_KEYS } from "./settings-schema.ts";
import { groupNames } from "./settings-tree.ts";
import { shown } from "./shown-name.ts";

/** Groups in which a typing mistake prevents the start, because a restriction must never be lost. */
const STRICT_GROUPS = ["permissions", "sandbox"] as const;

/** Returns whether a key, or a value in its place, belongs to one of the groups. */
export function isStrictName(name: string): boolean {
  return STRICT_GROUPS.some((group) => name === group || name.startsWith(`${group}.`));
}

let strictNames: readonly string[] | undefined;

/**
 * Returns whether an unknown key belongs to one of the groups, or was meant to: `permisions.mode`, ` sandbox.mode`,
 * `Permissions`.
 */
export function isMeantStrict(unknown: string): boolean {
  const name = unknown.trim().toLowerCase();
  if (isStrictName(name)) return true;
  strictNames ??= [...STRICT_GROUPS, ...SETTING_KEYS.filter(isStrictName)];
  return strictNames.some((strict) => isNearName(name, strict));
}

/** Keys that earlier builds had, with what happens now. */
const REMOVED: ReadonlyMap<string, string> = new Map([
  ["compaction.midTurn", "removed: pintle always checks between the turns of a run"],
  ["compaction.reuseCache", "removed: pintle uses the cache for summaries whenever that is cheaper"],
  ["replay.timing", "removed: use --replay-speed 1 to keep the recorded pauses"],
  ["resolve.steering", "removed: pintle forces the model's decision wherever that keeps the provider's cache"],
]);

/** Formats the key for a terminal, with the reason if it was removed, or a suggestion if a similar one exists. */
export function unknownKeyText(unknown: string): string {
  const removed = REMOVED.get(unknown);
  if (removed !== undefined) return `${unknown} (${removed})`;
  const names = unknown.length > MAX_LENGTH ? [] : [...SETTING_KEYS, ...groupNames()];
  const near = nearNames(unknown, names).find((name) => isLikelyMeant(unknown, name));
  return `${shown(unknown)}${near === undefined ? "" : ` (did you mean ${near}?)`}`;
}

function isLikelyMeant(unknown: string, name: string): boolean {
  const isWithin = unknown.startsWith(`${name}.`); // the group or key is right, but the rest is not
  return !isWithin && (isNearName(unknown, name) || name.endsWith(`.${unknown}`));
}

/** Longer than any key with a typing mistake. */
const MAX_LENGTH = 80;
