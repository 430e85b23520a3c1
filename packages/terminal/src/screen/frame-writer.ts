import { widthOf } from "../text/width.ts";

const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const CLEAR_LINE = "\u001b[2K";
const CLEAR_BELOW = "\u001b[J";

export interface Frame {
  /** Final lines: written once, above the live lines, and then part of the terminal's history. */
  finished: readonly string[];
  /** Redrawn whenever they change; never more than the screen has rows. */
  live: readonly string[];
  /** The cursor's position in the live lines; hidden if absent. */
  cursor?: { row: number; col: number };
}

/**
 * Where the cursor is after the terminal has rewrapped its lines: at the same character or, in xterm.js (the terminal of
 * VS Code), lower by the number of inserted rows, above or below it.
 */
export type Reflow = "same character" | "xterm.js";

/**
 * Writes frames below what the terminal already shows. Writes only what differs from the previous frame and never touches
 * anything above the live lines: lines that have scrolled away belong to the terminal.
 */
export class FrameWriter {
  #live: readonly string[] = [];
  /** The row of the cursor, counted from the first live line. */
  #row = 0;
  #col = 0;
  #isCursorShown: boolean | undefined;
  #width = 0;
  #height = 0;
  /** The newest final lines that may still be on the screen. */
  #tail: string[] = [];
  /** Final lines since the screen's content was last known, and the lowest row reached since then; rows above have scrolled. */
  #written = 0;
  #lowest = 0;
  readonly #reflow: Reflow;

  constructor(reflow: Reflow = "same character") {
    this.#reflow = reflow;
  }

  /** Returns the bytes that turn the last frame into this one, or an empty string if they are equal. */
  write({ finished, live, cursor }: Frame, width: number, height: number): string {
    const isResized = this.#width !== 0 && this.#width !== width;
    let out = isResized ? this.#erase(width, height) : "";
    if (height !== this.#height) this.#forgetTail(); // the positions of earlier lines are unknown now
    this.#width = width;
    this.#height = height;
    const lines = finished.length === 0 ? live : [...finished, ...live];
    out += this.#change(lines);
    this.#row -= finished.length;
    this.#live = live;
    this.#keep(finished);
    out += this.#place(cursor ?? { row: live.length - 1, col: 0 });
    const isShown = cursor !== undefined;
    if (out === "" && isShown === this.#isCursorShown) return "";
    this.#isCursorShown = isShown;
    return BEGIN + HIDE_CURSOR + out + (isShown ? SHOW_CURSOR : "") + END;
  }

  /** Erases the live lines; later output starts where they did. */
  erase(width: number, height: number): string {
    const out = this.#erase(width, height);
    this.#width = width;
    return out;
  }

  /** Returns whether the last frame was drawn for this window size. */
  isFor(width: number, height: number): boolean {
    return width === this.#width && height === this.#height;
  }

  /** Makes the next frame write this many of the newest final lines again. Returns false if they are not all on the screen. */
  reclaim(rows: number): boolean {
    const scrolled = Math.max(0, this.#lowest - this.#height + 1);
    if (rows > this.#tail.length || this.#written - rows < scrolled) return false;
    this.#live = [...this.#tail.splice(this.#tail.length - rows), ...this.#live];
    this.#written -= rows;
    this.#row += rows;
    return true;
  }

  /** Forgets the screen's content: the next frame is written as a whole, from the cursor's position. */
  forget(): void {
    this.#live = [];
    this.#row = 0;
    this.#col = 0;
    this.#isCursorShown = undefined;
    this.#forgetTail();
  }

  #forgetTail(): void {
    this.#tail = [];
    this.#written = 0;
    this.#lowest = this.#live.length - 1;
  }

  #keep(finished: readonly string[]): void {
    this.#written += finished.length;
    this.#lowest = Math.max(this.#lowest, this.#written + this.#live.length - 1);
    if (finished.length > 0) this.#tail = [...this.#tail, ...finished].slice(-this.#height);
  }

  #change(lines: readonly string[]): string {
    const old = this.#live;
    let first = 0;
    while (first < lines.length && first < old.length && lines[first] === old[first]) first += 1;
    if (first === lines.length && first === old.length) return "";
    this.#col = -1; // unknown
    if (first === lines.length) return `${this.#moveTo(first)}\r${CLEAR_BELOW}`;
    let end = lines.length;
    // Unchanged lines are not written again.
    if (lines.length === old.length) while (end > first && lines[end - 1] === old[end - 1]) end -= 1;
    let out = first < old.length || old.length === 0 ? `${this.#moveTo(first)}\r` : this.#moveTo(old.length - 1);
    for (let index = first; index < end; index += 1) {
      if (index > this.#row) out += this.#nextRow();
      out += CLEAR_LINE + lines[index];
    }
    if (lines.length < old.length) out += `${this.#moveTo(lines.length)}\r${CLEAR_BELOW}`;
    return out;
  }

  /** Moves to the next row. In the last row, the terminal scrolls. */
  #nextRow(): string {
    this.#row += 1;
    return "\r\n";
  }

  #place({ row, col }: { row: number; col: number }): string {
    if (row < 0 || (row === this.#row && col === this.#col)) return "";
    const out = `${this.#moveTo(row)}\u001b[${col + 1}G`;
    this.#col = col;
    return out;
  }

  #moveTo(row: number): string {
    const by = row - this.#row;
    this.#row = row;
    if (by === 0) return "";
    return by > 0 ? `\u001b[${by}B` : `\u001b[${-by}A`;
  }

  #erase(width: number, height: number): string {
    const up = width < this.#width ? this.#rowsAbove(width) : this.#row;
    const reached = Math.min(up, height - 1);
    this.forget();
    return `${reached > 0 ? `\u001b[${reached}A` : ""}\r${CLEAR_BELOW}`;
  }

  /** Counts the rows above the cursor after a narrower terminal has rewrapped the live lines. */
  #rowsAbove(width: number): number {
    const added = this.#live.map((line) => Math.max(1, Math.ceil(widthOf(line) / width)) - 1);
    if (this.#reflow === "same character") {
      const above = added.slice(0, this.#row).reduce((sum, rows) => sum + rows, this.#row);
      return above + Math.floor(Math.max(0, this.#col) / width);
    }
    // From the last line to the first, skipping the line at which the cursor has arrived.
    let row = this.#row;
    for (let index = added.length - 1; index >= 0; index -= 1) if (index !== row) row += added[index]!;
    return row;
  }
}
