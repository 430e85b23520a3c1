import { isNearName, nearNames } from "@pintle/agent";
import { SETTING_KEYS } from "./settings-schema.ts";
import { groupNames } from "./settings-tree.ts";
import { shown } from "./shown-name.ts";

/** What a user limits with these must never be left out by a slip: with a mistake in them pintle does not start. */
const STRICT_GROUPS = ["permissions", "sandbox"] as const;

/** Whether a key, or what was written in its place, belongs to one of the groups. */
export function isStrictName(name: string): boolean {
  return STRICT_GROUPS.some((group) => name === group || name.startsWith(`${group}.`));
}

let strictNames: readonly string[] | undefined;

/** An unknown key that is one of the groups' own, or that was meant to be: `permisions.mode`, ` sandbox.mode`, `Permissions`. */
export function isMeantStrict(unknown: string): boolean {
  const name = unknown.trim().toLowerCase();
  if (isStrictName(name)) return true;
  strictNames ??= [...STRICT_GROUPS, ...SETTING_KEYS.filter(isStrictName)];
  return strictNames.some((strict) => isNearName(name, strict));
}

/** The key, fit for a terminal, with the one that may have been meant. */
export function unknownKeyText(unknown: string): string {
  const names = unknown.length > MAX_LENGTH ? [] : [...SETTING_KEYS, ...groupNames()];
  const near = nearNames(unknown, names).find((name) => isLikelyMeant(unknown, name));
  return `${shown(unknown)}${near === undefined ? "" : ` (did you mean ${near}?)`}`;
}

function isLikelyMeant(unknown: string, name: string): boolean {
  const isWithin = unknown.startsWith(`${name}.`); // the group, or the key, is right: what follows it is not
  return !isWithin && (isNearName(unknown, name) || name.endsWith(`.${unknown}`));
}

/** Longer than any key with a mistake in it. */
const MAX_LENGTH = 80;
