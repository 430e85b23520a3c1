import { StartUpError } from "../../config/start-up-error.ts";
import { matchesParts } from "../../permissions/rules/argv-pattern.ts";
import { FAMILY_NAMES } from "../../tools/builtin-tools.ts";
import { namesMeant } from "../../tools/family-names.ts";

/** Which tools the user wants the model to have; `*` in a name matches any characters. Host tools are not affected. */
export interface ToolSelection {
  /** Offers only these; hidden ones if they are named. */
  only?: readonly string[];
  /** Adds these to the default ones, by exact names. */
  added?: readonly string[];
  /** Never offers these, even if something adds them later. */
  except?: readonly string[];
  /** Offers no built-in tools. */
  noBuiltin?: boolean;
}

/** The values of `--tools`, `--exclude-tools` and `--no-tools`. */
export interface ToolLists {
  tools?: readonly string[];
  excludeTools?: readonly string[];
  noTools?: "all" | "builtin";
}

/** Reads the selection. Throws if `tools` mixes names with changes of the default set, because that is ambiguous. */
export function readToolSelection({ tools, excludeTools = [], noTools }: ToolLists): ToolSelection {
  const changes = tools && readChanges(tools);
  const except = [...excludeTools, ...(changes?.removed ?? [])].flatMap(excludedBy);
  if (noTools === "all") return { only: [], except };
  return {
    ...(changes ? { added: changes.added.flatMap(namesMeant) } : tools && { only: tools.flatMap(spellings) }),
    except,
    noBuiltin: noTools === "builtin",
  };
}

/** Returns the names in a list without their signs. */
export function namesIn(list: readonly string[]): string[] {
  const changes = readChanges(list);
  return changes ? [...changes.added, ...changes.removed] : [...list];
}

export function isPattern(name: string): boolean {
  return name.includes("*");
}

/** Whether a list contains a name, or a pattern that matches it. */
export function isListed(list: readonly string[], name: string): boolean {
  return list.some((one) => matchesParts(one.split("*"), name));
}

/** Returns the names that a tool may have here if a list calls it this. */
function spellings(written: string): string[] {
  return isPattern(written) ? [written, written.toLowerCase()] : namesMeant(written);
}

/**
 * Returns what an excluding pattern matches: also the names that other programs give a tool. Patterns that offer tools
 * do not do this, so they never widen the selection.
 */
export function excludedBy(written: string): string[] {
  const meant = spellings(written);
  if (!isPattern(written)) return meant;
  return [...meant, ...[...FAMILY_NAMES].filter(([other]) => isListed(meant, other)).map(([, own]) => own)];
}

interface Changes {
  added: string[];
  removed: string[];
}

const SIGNED = /^[+-]/;

/** Returns undefined for a list of plain names. */
function readChanges(list: readonly string[]): Changes | undefined {
  const signed = list.filter((entry) => SIGNED.test(entry));
  if (signed.length === 0) return undefined;
  const plain = list.find((entry) => !SIGNED.test(entry));
  if (plain !== undefined) {
    throw new StartUpError(
      `The list of tools mixes "${plain}" with "${signed[0]}": either name all tools to offer, or only +name and -name to change the default ones`,
    );
  }
  const wrong = signed.find((entry) => entry.length === 1 || isPattern(entry));
  if (wrong !== undefined) {
    throw new StartUpError(
      `"${wrong}" in the list of tools must be a sign and the exact name of a tool; --exclude-tools takes patterns`,
    );
  }
  const withSign = (sign: string) => signed.filter((entry) => entry.startsWith(sign)).map((entry) => entry.slice(1));
  return { added: withSign("+"), removed: withSign("-") };
}
