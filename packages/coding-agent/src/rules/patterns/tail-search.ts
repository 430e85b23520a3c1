import type { Confirmation } from "./safe-pattern.ts";

/** How far back a match may begin. */
const WINDOW = 16 * 1024;
/** Kept before it, for patterns that look back. */
const MARGIN = 1024;
const MAX_STRIDE = 1024;
const NONE: readonly number[] = [];

/**
 * The end of a growing text, searched for patterns that an automaton can only suspect. A search costs more than reading on, so
 * the longer the text the rarer it is; at the end of the text everything is decided.
 */
export class TailSearch {
  #text = "";
  /** Of `#text`: where a match may begin. */
  #from = 0;
  #total = 0;
  #untried = 0;
  readonly #suspects = new Set<number>();
  readonly #confirmations: ReadonlyMap<number, Confirmation>;

  constructor(confirmations: ReadonlyMap<number, Confirmation>) {
    this.#confirmations = confirmations;
  }

  append(delta: string): void {
    if (this.#text.length > 2 * WINDOW) {
      this.#text = this.#text.slice(-WINDOW - MARGIN);
      this.#from = MARGIN;
    }
    this.#text += delta;
    this.#total += delta.length;
    this.#untried += delta.length;
  }

  suspect(pattern: number): void {
    this.#suspects.add(pattern);
  }

  /** Those that are found for certain. `isFinal`: nothing follows. */
  confirm(isFinal: boolean): readonly number[] {
    if (this.#suspects.size === 0) return NONE;
    if (!isFinal && this.#untried < Math.min(MAX_STRIDE, this.#total / 16)) return NONE;
    this.#untried = 0;
    const found = [...this.#suspects].filter((pattern) => this.#isFound(this.#confirmations.get(pattern)!, isFinal));
    for (const pattern of found) this.#suspects.delete(pattern);
    return found;
  }

  #isFound({ regex, reach }: Confirmation, isFinal: boolean): boolean {
    regex.lastIndex = this.#from;
    const match = regex.exec(this.#text);
    if (!match || isFinal) return match !== null;
    const end = match.index + match[0].length;
    return end + reach.length <= this.#text.length && (!reach.line || this.#text.includes("\n", end));
  }
}
