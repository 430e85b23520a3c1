import type { Theme } from "../screen/theme.ts";

/** As many rows as fit above the answers in a small window, because what is above the window cannot be read. */
const PAGE_ROWS = 10;
/** The narrowest window for which the number of pages is estimated. */
const NARROW = 40;

/** Shows rows that a user decides on, one page at a time, so that all of them can be read. */
export class PagedLines {
  readonly #layout: (width: number) => readonly string[];
  readonly #theme: Theme;
  #page = 0;

  constructor(layout: (width: number) => readonly string[], theme: Theme) {
    this.#layout = layout;
    this.#theme = theme;
  }

  /** Whether there may be more than one page in a window of any width. */
  get hasMore(): boolean {
    return this.#layout(NARROW).length > PAGE_ROWS;
  }

  /** Turns to the next page; after the last page comes the first. */
  next(): void {
    this.#page += 1;
  }

  rows(width: number): string[] {
    const all = this.#layout(width);
    if (all.length <= PAGE_ROWS) return [...all];
    const start = (this.#page % Math.ceil(all.length / PAGE_ROWS)) * PAGE_ROWS;
    const shown = all.slice(start, start + PAGE_ROWS);
    return [...shown, this.#theme.warning(`rows ${start + 1} to ${start + shown.length} of ${all.length}`)];
  }
}
