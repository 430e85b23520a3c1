import type { PageSource } from "../page-source.ts";
import { searchRows } from "./full-text.ts";

export interface SearchControl {
  query(): string;
  /** Rows with the words; undefined while there is no search. */
  matches(): ReadonlySet<number> | undefined;
  /** Resolves to false if a newer search has replaced it. */
  find(text: string): Promise<boolean>;
  /** Returns the next matching row, wrapping around. Rows of the shown branch come first. */
  step(
    by: 1 | -1,
    from: number,
    isShown: (row: number) => boolean,
  ): { row: number; at: number; of: number } | undefined;
}

export function createSearch(source: Pick<PageSource, "rows" | "bodyText">): SearchControl {
  let query = "";
  let matches: ReadonlySet<number> | undefined;
  let last: number | undefined;
  let running = new AbortController();
  return {
    query: () => query,
    matches: () => matches,
    async find(text) {
      running.abort();
      running = new AbortController();
      const { signal } = running;
      query = text.trim();
      const found = query === "" ? undefined : await searchRows(source, query, signal);
      if (signal.aborted) return false;
      matches = found;
      last = undefined;
      return true;
    },
    step(by, from, isShown) {
      const all = [...(matches ?? [])].sort((a, b) => a - b);
      const shown = all.filter(isShown);
      const order = shown.length > 0 ? shown : all;
      const here = last ?? from - by;
      const next =
        by === 1
          ? (order.find((row) => row > here) ?? order[0])
          : (order.findLast((row) => row < here) ?? order.at(-1));
      if (next === undefined) return undefined;
      last = next;
      return { row: next, at: order.indexOf(next) + 1, of: order.length };
    },
  };
}
