import type { LoadedFlags } from "../sdk/options.ts";
import { type Arguments, longNames, unknownOption } from "./args.ts";
import type { FlagTable, StartFacts } from "./flag-table.ts";
import { FLAGS } from "./flags.ts";
import { foreignFlag } from "./foreign-flags.ts";
import { UsageError } from "./usage-error.ts";

type Unknown = Arguments<FlagTable>["unknown"];

/** For a start that loads no extension. */
export const NO_EXTENSIONS: LoadedFlags = { types: new Map(), hasFaults: false, isWithheld: false };

/**
 * Judges options that are not in pintle's own table: an extension handles its own, one of another program is accepted
 * or refused, any other is a mistake.
 */
export function judgeFlags(
  unknown: Unknown,
  { types, hasFaults, isWithheld }: LoadedFlags,
  { isRpc, warn, verbose }: StartFacts & { verbose(text: string): void },
): void {
  // The extension that knows the option may be one that failed, or one that the host will agree to later.
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
    warn(`${problem}; it is ignored until an extension knows it`);
  }
}

const WITHHELD_TEXT = "Extensions of this project were not loaded; --trust loads them this time.";

/** Whether the word behind an option that pintle does not have is its value. */
export function takesWord(name: string, types: LoadedFlags["types"]): boolean {
  const type = types.get(name);
  return type === undefined ? (foreignFlag(name)?.takesValue ?? false) : type === "string";
}
