import type { SafePattern } from "./safe-pattern.ts";

/** How far back a match may begin. */
const WINDOW = 16 * 1024;
/** Patterns without a text to look for are tried after this many characters, or at the end of a line. */
const STRIDE = 256;

/**
 * The end of a growing text, and the patterns that are looked for in it. Most deltas cost one search for the texts that
 * the patterns must contain; a pattern itself runs only near such a text, and then over a bounded window.
 */
export class StreamText {
  readonly #literals: RegExp | undefined;
  readonly #longestLiteral: number;
  readonly #hasBlind: boolean;
  #text = "";
  /** Of `#text`: what was searched for literals already. */
  #searched = 0;
  /** Characters since patterns were last tried. */
  #untried = 0;
  /** Up to this length of `#text` a literal was seen that may become a match. */
  #armedAt = -1;

  constructor(patterns: readonly SafePattern[]) {
    const literals = patterns.flatMap(({ literal }) => (literal === undefined ? [] : [literal]));
    this.#literals = literals.length > 0 ? new RegExp(literals.map(RegExp.escape).join("|")) : undefined;
    this.#longestLiteral = Math.max(0, ...literals.map((literal) => literal.length));
    this.#hasBlind = literals.length < patterns.length;
  }

  /** Whether it is time to try the patterns. */
  append(delta: string): boolean {
    this.#trim();
    this.#text += delta;
    this.#untried += delta.length;
    const from = Math.max(0, this.#searched - this.#longestLiteral + 1);
    const isSeen = this.#literals?.test(from === 0 ? this.#text : this.#text.slice(from)) ?? false;
    this.#searched = this.#text.length;
    if (isSeen) this.#armedAt = this.#text.length;
    const isArmed = this.#hasBlind || this.#armedAt >= 0;
    return isSeen || (isArmed && (this.#untried >= STRIDE || delta.includes("\n")));
  }

  /** `isFinal`: nothing follows. */
  matches(pattern: SafePattern, isFinal: boolean): boolean {
    const { regex, literal, isMultiline, looksAhead } = pattern;
    const text = isMultiline ? this.#text : this.#lines();
    if (literal !== undefined && !text.includes(literal)) return false;
    const match = regex.exec(text);
    if (!match) return false;
    return isFinal || !looksAhead || match.index + match[0].length < text.length;
  }

  /** To be called when the patterns were tried. */
  tried(): void {
    this.#untried = 0;
  }

  /** The lines that have grown since the patterns were last tried. */
  #lines(): string {
    const fresh = Math.max(0, this.#text.length - this.#untried);
    const start = fresh === 0 ? 0 : this.#text.lastIndexOf("\n", fresh - 1) + 1;
    return start === 0 ? this.#text : this.#text.slice(start);
  }

  /** Kept between one and two windows, so that cutting costs nothing per delta. */
  #trim(): void {
    if (this.#text.length < 2 * WINDOW) return;
    const cut = this.#text.length - WINDOW;
    this.#text = this.#text.slice(cut);
    this.#searched = Math.max(0, this.#searched - cut);
    this.#armedAt = this.#armedAt < cut ? -1 : this.#armedAt - cut;
  }
}
