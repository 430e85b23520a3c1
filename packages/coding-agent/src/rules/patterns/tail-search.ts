import type { Reach } from "./reach.ts";
import type { Confirmation } from "./safe-pattern.ts";

/** The longest piece that is appended at once, and the most that comes between two searches. */
export const PIECE = 1024;
/** How far before the newest piece a match may begin. */
const WINDOW = 16 * 1024;
const FIRST_WINDOW = 1024;
/** Kept before it, for patterns that look back. */
const MARGIN = 1024;
/** RegExp may need the square of what it searches. After this much CPU time a search does not go further back. */
const SLOW_MS = 2;
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
  /** Pattern → length of the text when the automaton last took it for matched. */
  readonly #suspects = new Map<number, number>();
  readonly #confirmations: ReadonlyMap<number, Confirmation>;

  constructor(confirmations: ReadonlyMap<number, Confirmation>) {
    this.#confirmations = confirmations;
  }

  append(piece: string): void {
    if (this.#text.length > 2 * WINDOW) {
      this.#text = this.#text.slice(-WINDOW - MARGIN);
      this.#from = MARGIN;
    }
    this.#text += piece;
    this.#total += piece.length;
    this.#untried += piece.length;
  }

  suspect(pattern: number): void {
    // One that is suspected before all text matches nothing, and can do so anywhere.
    const end = this.#total === 0 ? Number.POSITIVE_INFINITY : this.#total;
    this.#suspects.set(pattern, Math.max(end, this.#suspects.get(pattern) ?? 0));
  }

  /** Those that are found for certain. `isFinal`: nothing follows. */
  confirm(isFinal: boolean): readonly number[] {
    if (this.#suspects.size === 0) return NONE;
    if (!isFinal && this.#untried < Math.min(PIECE, this.#total / 16)) return NONE;
    this.#untried = 0;
    const found: number[] = [];
    for (const [pattern, end] of this.#suspects) {
      const confirmation = this.#confirmations.get(pattern)!;
      const isFound = this.#isFound(confirmation, isFinal);
      if (isFound) found.push(pattern);
      // Not found although all was there that the match depends on: it takes a new suspicion to search again.
      if (isFound || this.#isWithin(end - this.#total + this.#text.length, confirmation.reach)) {
        this.#suspects.delete(pattern);
      }
    }
    return found;
  }

  /** Searches further back step by step, so that a slow pattern is detected on a short text. */
  #isFound({ regex, reach }: Confirmation, isFinal: boolean): boolean {
    const isLate = deadline(SLOW_MS);
    for (let window = FIRST_WINDOW; window <= WINDOW; window *= 4) {
      regex.lastIndex = Math.max(this.#from, this.#text.length - PIECE - window);
      const isAll = regex.lastIndex === this.#from;
      const match = regex.exec(this.#text);
      if (match && (isFinal || this.#isWithin(match.index + match[0].length, reach))) return true;
      if (isAll || isLate()) return false;
    }
    return false;
  }

  /** Whether the input extends as far as a match with this end looks. */
  #isWithin(end: number, reach: Reach): boolean {
    return end + reach.length <= this.#text.length && (!reach.line || this.#text.includes("\n", end));
  }
}

/** In CPU time: other work on the machine does not make a pattern slow. The wall clock is asked first because that is cheap. */
function deadline(milliseconds: number): () => boolean {
  const startedAt = performance.now();
  const before = process.threadCpuUsage();
  return () => {
    if (performance.now() - startedAt < milliseconds) return false;
    const { user, system } = process.threadCpuUsage(before);
    return user + system > milliseconds * 1000;
  };
}
