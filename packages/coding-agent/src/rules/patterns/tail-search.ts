import type { Reach } from "./reach.ts";
import type { Confirmation } from "./safe-pattern.ts";

/** Maximum length of a piece that is appended at once, and of the text between two searches. */
export const PIECE = 1024;
/** Maximum distance before the newest piece at which a match may begin. */
const WINDOW = 16 * 1024;
const FIRST_WINDOW = 1024;
/** Text kept before the window, for patterns that look back. */
const MARGIN = 1024;
/** RegExp may need quadratic time. After this much CPU time, a search does not go further back. */
const SLOW_MS = 2;
const NONE: readonly number[] = [];

/**
 * Searches the end of a growing text for patterns that the automaton can only suspect. A search is expensive, so it becomes rarer
 * the longer the text is. At the end of the text everything is decided.
 */
export class TailSearch {
  #text = "";
  /** Offset in `#text` from which on a match may begin. */
  #from = 0;
  #total = 0;
  #untried = 0;
  /** Maps a pattern to the length of the text when the automaton last suspected a match. */
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
    // A pattern that is suspected before any text matches the empty string, which can happen anywhere.
    const end = this.#total === 0 ? Number.POSITIVE_INFINITY : this.#total;
    this.#suspects.set(pattern, Math.max(end, this.#suspects.get(pattern) ?? 0));
  }

  /** Returns the patterns that certainly match. `isFinal` means that no more text follows. */
  confirm(isFinal: boolean): readonly number[] {
    if (this.#suspects.size === 0) return NONE;
    if (!isFinal && this.#untried < Math.min(PIECE, this.#total / 16)) return NONE;
    this.#untried = 0;
    const found: number[] = [];
    for (const [pattern, end] of this.#suspects) {
      const confirmation = this.#confirmations.get(pattern)!;
      const isFound = this.#isFound(confirmation, isFinal);
      if (isFound) found.push(pattern);
      // Not found although all text that the match depends on has arrived: search again only after a new suspicion.
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

/** Measures CPU time, so that other work on the machine does not make a pattern look slow. Checks the cheaper wall clock first. */
function deadline(milliseconds: number): () => boolean {
  const startedAt = performance.now();
  const before = process.threadCpuUsage();
  return () => {
    if (performance.now() - startedAt < milliseconds) return false;
    const { user, system } = process.threadCpuUsage(before);
    return user + system > milliseconds * 1000;
  };
}
