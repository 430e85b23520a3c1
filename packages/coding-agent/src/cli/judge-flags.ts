import type { LoadedFlags } from "../sdk/options.ts";
import { type Arguments, longNames, unknownOption } from "./args.ts";
import type { FlagTable, StartFacts } from "./flag-table.ts";
import { FLAGS } from "./flags.ts";
import { foreignFlag } from "./foreign-flags.ts";
import { UsageError } from "./usage-error.ts";

type Unknown = Arguments<FlagTable>["unknown"];

/** Judges unknown options for a start that loads no extensions. */
export const NO_EXTENSIONS: LoadedFlags = { types: new Map(), hasFaults: false, isWithheld: false };

/**
 * Judges options that are not in pintle's own table: extensions handle their own, options of other programs are accepted or
 * refused, and all others are mistakes.
 */
export function judgeFlags(
  unknown: Unknown,
  { types, hasFaults, isWithheld }: LoadedFlags,
  { isRpc, warn, verbose }: StartFacts & { verbose(text: string): void },
): void {
  // The extension with the option may have failed to load, or may wait for the host's consent.
  const mayBecomeKnown = hasFaults || (isRpc && isWithheld);
  for (const name of unknown.keys()) {
    if (types.has(name)) continue;
    const foreign = foreignFlag(name);
    if (foreign?.refusal !== undefined) throw new UsageError(foreign.refusal);
    if (foreign) {
      verbose(`--${name} has no effect here`);
      continue;
    }
    const problem = unknownOption(`--${name}`, name, [...longNames(FLAGS), ...types.keys()]);
    if (!mayBecomeKnown) throw new UsageError(isWithheld ? `${problem}\n${WITHHELD_TEXT}` : problem);
    warn(`${problem}; it is ignored until an extension registers it`);
  }
}

const WITHHELD_TEXT = "Extensions of this project were not loaded; --trust loads them this time.";

/** Whether the word after an option that pintle lacks is the option's value. */
export function takesWord(name: string, types: LoadedFlags["types"]): boolean {
  const type = types.get(name);
  return type === undefined ? (foreignFlag(name)?.takesValue ?? false) : type === "string";
}
