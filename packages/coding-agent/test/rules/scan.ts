import { PatternAutomaton } from "../../src/rules/pattern-automaton.ts";
import { compileSafely, readFlags } from "../../src/rules/safe-pattern.ts";
import { TextScan } from "../../src/rules/text-scan.ts";

/** Patterns made ready to be looked for together. */
export function patternSet(sources: readonly string[]) {
  const patterns = sources.map(compileSafely);
  return {
    automaton: new PatternAutomaton(patterns.map(({ node }) => node)),
    confirmations: new Map(patterns.flatMap(({ confirm }, index) => (confirm ? [[index, confirm] as const] : []))),
  };
}

/** Which of the patterns are found in a text that comes in these pieces: while it comes, and when it ends. */
export function scan(sources: readonly string[], pieces: readonly string[]): { early: string[]; late: string[] } {
  const search = new TextScan(patternSet(sources));
  const early = pieces.flatMap((piece) => search.append(piece));
  return { early: early.map((index) => sources[index]!), late: search.end().map((index) => sources[index]!) };
}

export function isFound(source: string, pieces: readonly string[]): boolean {
  const { early, late } = scan([source], pieces);
  return early.length + late.length > 0;
}

/** What RegExp says about the whole text. */
export function regexOf(source: string): RegExp {
  const { source: plain, flags } = readFlags(source);
  return new RegExp(plain, flags);
}
