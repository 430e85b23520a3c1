import { PatternSet } from "../../../src/rules/patterns/pattern-set.ts";
import { compileSafely, readFlags } from "../../../src/rules/patterns/safe-pattern.ts";

/** Returns which of the patterns are found in a string that arrives in these pieces: as it arrives, and at its end. */
export function scan(sources: readonly string[], pieces: readonly string[]): { early: string[]; late: string[] } {
  const search = new PatternSet(sources.map(compileSafely)).scan();
  const early = pieces.flatMap((piece) => search.append(piece));
  return { early: early.map((index) => sources[index]!), late: search.end().map((index) => sources[index]!) };
}

export function isFound(source: string, pieces: readonly string[]): boolean {
  const { early, late } = scan([source], pieces);
  return early.length + late.length > 0;
}

/** Returns what RegExp finds in the whole text. */
export function regexOf(source: string): RegExp {
  const { source: plain, flags } = readFlags(source);
  return new RegExp(plain, flags);
}
