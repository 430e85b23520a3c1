import type { FlagDefinition } from "./types.ts";

/** Options of the command line that pintle itself does not know: `--name` is true, `--name=value` its text. */
export type GivenFlags = ReadonlyMap<string, string | true>;

const SWITCHED_OFF = new Set(["false", "no", "off", "0"]);

/** What an extension reads; undefined when it has not registered the flag. */
export function flagValue(flag: FlagDefinition | undefined, given: string | true | undefined) {
  if (!flag) return undefined;
  if (given === undefined) return flag.default;
  if (flag.type === "boolean") return given === true || !SWITCHED_OFF.has(given.toLowerCase());
  return given === true ? flag.default : given;
}
