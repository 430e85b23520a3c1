import { nextUnit, nextWord, previousUnit, previousWord } from "./text-units.ts";

export interface TextState {
  text: string;
  cursor: number;
}

export type Place = "unit" | "word" | "line";

/** A text with a cursor. The cursor is never inside a character or a block. */
export class TextBuffer {
  #text = "";
  #cursor = 0;

  get text(): string {
    return this.#text;
  }

  get cursor(): number {
    return this.#cursor;
  }

  get state(): TextState {
    return { text: this.#text, cursor: this.#cursor };
  }

  set state({ text, cursor }: TextState) {
    this.#text = text;
    this.#cursor = Math.min(cursor, text.length);
  }

  /** Replaces the whole text and moves the cursor to the end. */
  setText(text: string): void {
    this.state = { text, cursor: text.length };
  }

  moveTo(cursor: number): void {
    this.#cursor = Math.max(0, Math.min(cursor, this.#text.length));
  }

  insert(text: string): void {
    this.replace(this.#cursor, this.#cursor, text);
  }

  /** Replaces a range and moves the cursor after the new text. */
  replace(start: number, end: number, text: string): void {
    this.#text = this.#text.slice(0, start) + text + this.#text.slice(end);
    this.#cursor = start + text.length;
  }

  /** Removes a range and returns its text. */
  remove(start: number, end: number): string {
    const removed = this.#text.slice(start, end);
    this.replace(start, end, "");
    return removed;
  }

  /** Returns the line of the cursor and where it starts. */
  get line(): { start: number; text: string; column: number } {
    const start = this.#text.lastIndexOf("\n", this.#cursor - 1) + 1;
    const end = this.#text.indexOf("\n", this.#cursor);
    return { start, text: this.#text.slice(start, end === -1 ? undefined : end), column: this.#cursor - start };
  }

  /** Returns the place before the cursor; at the start of a line that is the end of the line above. */
  before(place: Place): number {
    const { start, text, column } = this.line;
    if (column === 0) return Math.max(0, start - 1);
    if (place === "line") return start;
    return start + (place === "unit" ? previousUnit(text, column) : previousWord(text, column));
  }

  /** Returns the place after the cursor; at the end of a line that is the start of the line below. */
  after(place: Place): number {
    const { start, text, column } = this.line;
    if (column === text.length) return Math.min(this.#text.length, this.#cursor + 1);
    if (place === "line") return start + text.length;
    return start + (place === "unit" ? nextUnit(text, column) : nextWord(text, column));
  }
}
