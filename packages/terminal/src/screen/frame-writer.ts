import { widthOf } from "../text/width.ts";

const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const CLEAR_LINE = "\u001b[2K";
const CLEAR_BELOW = "\u001b[J";

export interface Frame {
  /** Final: they are written once, above the live lines, and belong to the terminal's history from then on. */
  finished: readonly string[];
  /** Drawn again whenever they change; never more than the screen has. */
  live: readonly string[];
  /** Where the cursor is among the live lines; without one it is hidden. */
  cursor?: { row: number; col: number };
}

/**
 * The cursor position after the terminal has rewrapped its lines: at the same character, or, in xterm.js (the terminal
 * of VS Code), lower by every inserted row, above or below it.
 */
export type Reflow = "same character" | "xterm.js";

/**
 * Writes frames below what the terminal shows already. Only what differs from the frame before is written, and nothing above the
 * live lines is ever touched: what has scrolled away is the terminal's, and stays.
 */
export class FrameWriter {
  #live: readonly string[] = [];
  /** The row of the cursor, counted from the first live line. */
  #row = 0;
  #col = 0;
  #isCursorShown: boolean | undefined;
  #width = 0;
  #height = 0;
  /** The newest final lines, as far as they may still be on the screen. */
  #tail: string[] = [];
  /** Final lines since the screen was known last, and the lowest row that was reached since: what is above has scrolled. */
  #written = 0;
  #lowest = 0;
  readonly #reflow: Reflow;

  constructor(reflow: Reflow = "same character") {
    this.#reflow = reflow;
  }

  /** The bytes that turn the last frame into this one. Empty when nothing has changed. */
  write({ finished, live, cursor }: Frame, width: number, height: number): string {
    const isResized = this.#width !== 0 && this.#width !== width;
    let out = isResized ? this.#erase(width, height) : "";
    if (height !== this.#height) this.#forgetTail(); // where the terminal has put its lines is not known
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

  /** The last frame was one for a window of this size. */
  isFor(width: number, height: number): boolean {
    return width === this.#width && height === this.#height;
  }

  /** So many of the newest final lines are to be written again, with the next frame. False: they are not all on the screen. */
  reclaim(rows: number): boolean {
    const scrolled = Math.max(0, this.#lowest - this.#height + 1);
    if (rows > this.#tail.length || this.#written - rows < scrolled) return false;
    this.#live = [...this.#tail.splice(this.#tail.length - rows), ...this.#live];
    this.#written -= rows;
    this.#row += rows;
    return true;
  }

  /** The screen is not as it was left: the next frame is written as a whole, from where the cursor is. */
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
    this.#col = -1; // somewhere
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

  /** In the last row the terminal scrolls. */
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

  /** A terminal that became narrower has broken the lines it shows: how many rows they take now follows from their widths. */
  #rowsAbove(width: number): number {
    const added = this.#live.map((line) => Math.max(1, Math.ceil(widthOf(line) / width)) - 1);
    if (this.#reflow === "same character") {
      const above = added.slice(0, this.#row).reduce((sum, rows) => sum + rows, this.#row);
      return above + Math.floor(Math.max(0, this.#col) / width);
    }
    // From the last line to the first; the line at which the cursor arrives by then is left as it is.
    let row = this.#row;
    for (let index = added.length - 1; index >= 0; index -= 1) if (index !== row) row += added[index]!;
    return row;
  }
}
