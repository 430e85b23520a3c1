import type { FlagDefinition } from "./extension-types.ts";

/**
 * How an option appeared on the command line: `--name` alone is true, `--name=value` is its value. If a word follows, only the
 * flag's type decides whether that is its value.
 */
export type GivenFlag = string | true | { next: string };

/** Command-line options that pintle itself does not know. */
export type GivenFlags = ReadonlyMap<string, GivenFlag>;

const SWITCHED_OFF = new Set(["false", "no", "off", "0"]);

/** Returns the value that an extension reads, or undefined if it has not registered the flag. */
export function flagValue(flag: FlagDefinition | undefined, given: GivenFlag | undefined) {
  if (!flag) return undefined;
  if (given === undefined) return flag.default;
  if (flag.type === "boolean") return typeof given !== "string" || !SWITCHED_OFF.has(given.toLowerCase());
  return given === true ? flag.default : typeof given === "string" ? given : given.next;
}
