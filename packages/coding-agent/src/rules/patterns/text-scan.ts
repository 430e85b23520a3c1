import type { PatternAutomaton, ScanState } from "./automaton.ts";
import type { Confirmation } from "./safe-pattern.ts";
import { PIECE, TailSearch } from "./tail-search.ts";

const NONE: readonly number[] = [];

/** Searches one text that arrives in pieces. Reports each pattern once. */
export class TextScan {
  readonly #automaton: PatternAutomaton;
  /** The confirmations of patterns that the automaton only suspects, by the pattern's index. */
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

  /** Returns the patterns that now certainly match. */
  append(delta: string): readonly number[] {
    if (!this.#tail) this.#read(delta);
    // Read in small pieces, because the tail keeps only the end of the text and must pass over all of it.
    else for (let at = 0; at < delta.length; at += PIECE) this.#readWithTail(delta.slice(at, at + PIECE), this.#tail);
    return this.#take();
  }

  /** Ends the text. Returns the patterns that match because of that. */
  end(): readonly number[] {
    this.#accept(this.#automaton.end(this.#state));
    this.#tail?.confirm(true).forEach(this.#report);
    return this.#take();
  }

  #readWithTail(piece: string, tail: TailSearch): void {
    tail.append(piece);
    this.#read(piece);
    tail.confirm(false).forEach(this.#report);
  }

  #read(piece: string): void {
    this.#state = this.#automaton.read(this.#state, piece, this.#accept);
  }

  readonly #accept = (patterns: readonly number[]): void => {
    for (const pattern of patterns) {
      if (this.#reported.has(pattern)) continue;
      if (this.#tail && this.#confirmations.has(pattern)) this.#tail.suspect(pattern);
      else this.#report(pattern);
    }
  };

  readonly #report = (pattern: number): void => {
    this.#reported.add(pattern);
    this.#fresh.push(pattern);
  };

  #take(): readonly number[] {
    if (this.#fresh.length === 0) return NONE;
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
