import { parseArguments, unknownOption } from "../../cli/args.ts";
import type { FlagTable, GivenValues } from "../../cli/flag-table.ts";
import { UsageError } from "../../cli/usage-error.ts";

export const JSON_FLAG = { json: { kind: "switch", help: "print JSON" } } as const satisfies FlagTable;

/** Parses the flags and words of a subcommand. Refuses flags that are not in its table. */
export function familyArguments<const T extends FlagTable>(
  argv: readonly string[],
  table: T,
): { flags: GivenValues<T>; words: readonly string[] } {
  const { flags, words, unknown } = parseArguments(argv, table);
  for (const flag of unknown.keys()) throw new UsageError(unknownOption(`--${flag}`, flag, Object.keys(table)));
  return { flags, words };
}

/** Refuses words that another program's subcommand accepts and this one does not, and names those that it accepts. */
export function refuseWords(command: string, words: readonly string[], available: string): never {
  throw new UsageError(`"${[command, ...words].join(" ")}" does not exist in pintle, which has ${available}`);
}
