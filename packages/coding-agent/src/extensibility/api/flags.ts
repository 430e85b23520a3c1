import type { FlagDefinition } from "./extension-types.ts";

/**
 * How an option stood on the command line: `--name` alone is true, `--name=value` its text. With a word behind it only the
 * flag's type tells whether that is its value.
 */
export type GivenFlag = string | true | { next: string };

/** Options of the command line that pintle itself does not know. */
export type GivenFlags = ReadonlyMap<string, GivenFlag>;

const SWITCHED_OFF = new Set(["false", "no", "off", "0"]);

/** What an extension reads; undefined when it has not registered the flag. */
export function flagValue(flag: FlagDefinition | undefined, given: GivenFlag | undefined) {
  if (!flag) return undefined;
  if (given === undefined) return flag.default;
  if (flag.type === "boolean") return typeof given !== "string" || !SWITCHED_OFF.has(given.toLowerCase());
  return given === true ? flag.default : typeof given === "string" ? given : given.next;
}
