import type { PatternAutomaton, ScanState } from "./automaton.ts";
import type { Confirmation } from "./safe-pattern.ts";
import { TailSearch } from "./tail-search.ts";

const NONE: readonly number[] = [];

/** The search of one text that comes in pieces. Each pattern is reported once. */
export class TextScan {
  readonly #automaton: PatternAutomaton;
  /** By the index of the pattern, for those that the automaton only suspects. */
  readonly #confirmations: ReadonlyMap<number, Confirmation>;
  readonly #tail: TailSearch | undefined;
  readonly #reported = new Set<number>();
  #state: ScanState;
  #fresh: number[] = [];

  constructor(automaton: PatternAutomaton, confirmations: ReadonlyMap<number, Confirmation>) {
    this.#automaton = automaton;
    this.#confirmations = confirmations;
    this.#tail = confirmations.size > 0 ? new TailSearch(confirmations) : undefined;
    this.#state = automaton.start;
    this.#accept(this.#state.accepts);
  }

  /** The patterns that are certain to match now. */
  append(delta: string): readonly number[] {
    this.#tail?.append(delta);
    this.#state = this.#automaton.read(this.#state, delta, this.#accept);
    return this.#tail || this.#fresh.length > 0 ? this.#take(false) : NONE;
  }

  /** Nothing follows. */
  end(): readonly number[] {
    this.#accept(this.#automaton.end(this.#state));
    return this.#take(true);
  }

  readonly #accept = (patterns: readonly number[]): void => {
    for (const pattern of patterns) {
      if (this.#reported.has(pattern)) continue;
      if (this.#tail && this.#confirmations.has(pattern)) this.#tail.suspect(pattern);
      else this.#report(pattern);
    }
  };

  #report(pattern: number): void {
    this.#reported.add(pattern);
    this.#fresh.push(pattern);
  }

  #take(isFinal: boolean): readonly number[] {
    for (const pattern of this.#tail?.confirm(isFinal) ?? NONE) this.#report(pattern);
    if (this.#fresh.length === 0) return NONE;
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
