import { StartUpError } from "../../config/start-up-error.ts";
import { matchesParts } from "../../permissions/rules/argv-pattern.ts";
import { FAMILY_NAMES } from "../../tools/builtin-tools.ts";
import { namesMeant } from "../../tools/family-names.ts";

/** Which tools the user wants the model to have; `*` in a name matches any characters. Host tools are the host's own business. */
export interface ToolSelection {
  /** Only these; hidden ones if they are named. */
  only?: readonly string[];
  /** These besides the default ones, by exact names. */
  added?: readonly string[];
  /** Never these: stronger than everything that offers a tool later. */
  except?: readonly string[];
  /** None of the built-in ones. */
  noBuiltin?: boolean;
}

/** The values of `--tools` and `--exclude-tools`, and which built-in tools there are at all. */
export interface ToolLists {
  tools?: readonly string[];
  excludeTools?: readonly string[];
  noTools?: "all" | "builtin";
}

/** Throws if `tools` mixes names with changes of the default set: what such a list leaves in would be a guess. */
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

/** The names that a list has, each without its sign. */
export function namesIn(list: readonly string[]): string[] {
  const changes = readChanges(list);
  return changes ? [...changes.added, ...changes.removed] : [...list];
}

export function isPattern(name: string): boolean {
  return name.includes("*");
}

/** Whether a name is in a list, or matched by a pattern of it. */
export function isListed(list: readonly string[], name: string): boolean {
  return list.some((one) => matchesParts(one.split("*"), name));
}

/** The spellings that a tool may have here when a list calls it so. */
function spellings(written: string): string[] {
  return isPattern(written) ? [written, written.toLowerCase()] : namesMeant(written);
}

/** A pattern that excludes also matches what other programs call a tool; one that offers does not, so that it never widens. */
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
