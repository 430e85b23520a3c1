import { PatternAutomaton } from "./automaton.ts";
import type { Confirmation, SafePattern } from "./safe-pattern.ts";
import { TextScan } from "./text-scan.ts";

/** Patterns that are searched for together, each identified by its index. */
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

  /** Starts the search of one text. All searches share the automaton's states. */
  scan(): TextScan {
    this.#automaton ??= new PatternAutomaton(this.#patterns.map(({ node }) => node));
    return new TextScan(this.#automaton, this.#confirmations);
  }
}
