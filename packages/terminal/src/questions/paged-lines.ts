import type { Theme } from "../screen/theme.ts";
import { wrapped } from "../text/wrap.ts";

/** As many rows as fit above the answers in a small window: what is above the window cannot be read. */
const PAGE_ROWS = 10;
/** The narrowest window for which the number of pages is estimated. */
const NARROW = 40;

/** Lines that a user decides on, one page at a time, so that none of them is out of reach. */
export class PagedLines {
  readonly #lines: readonly string[];
  readonly #theme: Theme;
  #page = 0;

  /** The lines are styled, and broken at the width. */
  constructor(lines: readonly string[], theme: Theme) {
    this.#lines = lines;
    this.#theme = theme;
  }

  /** Whether there may be more than one page in a window of any width. */
  get hasMore(): boolean {
    return this.#wrapped(NARROW).length > PAGE_ROWS;
  }

  /** After the last page comes the first. */
  next(): void {
    this.#page += 1;
  }

  rows(width: number): string[] {
    const all = this.#wrapped(width);
    if (all.length <= PAGE_ROWS) return all;
    const start = (this.#page % Math.ceil(all.length / PAGE_ROWS)) * PAGE_ROWS;
    const shown = all.slice(start, start + PAGE_ROWS);
    return [...shown, this.#theme.warning(`rows ${start + 1} to ${start + shown.length} of ${all.length}`)];
  }

  #wrapped(width: number): string[] {
    return this.#lines.flatMap((line) => wrapped(line, width));
  }
}
