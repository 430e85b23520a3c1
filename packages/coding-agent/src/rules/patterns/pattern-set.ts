import { PatternAutomaton } from "./automaton.ts";
import type { Confirmation, SafePattern } from "./safe-pattern.ts";
import { TextScan } from "./text-scan.ts";

/** Patterns that are looked for together; a pattern is named by its index. */
export class PatternSet {
  readonly #patterns: readonly SafePattern[];
  readonly #confirmations: ReadonlyMap<number, Confirmation>;
  #automaton: PatternAutomaton | undefined;

  constructor(patterns: readonly SafePattern[]) {
    this.#patterns = patterns;
    this.#confirmations = new Map(
      patterns.flatMap(({ confirm }, index) => (confirm ? [[index, confirm] as const] : [])),
    );
  }

  /** The search of one text. All searches share what the automaton has learned. */
  scan(): TextScan {
    this.#automaton ??= new PatternAutomaton(this.#patterns.map(({ node }) => node));
    return new TextScan(this.#automaton, this.#confirmations);
  }
}
