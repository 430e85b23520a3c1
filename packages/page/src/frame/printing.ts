import { replaceChildren } from "../dom.ts";
import type { Feed } from "../entries/feed.ts";
import { count } from "../format.ts";

/** Printing time grows faster than the number of pages: this many entries take seconds, ten thousand take many minutes. */
const MOST_PRINTED = 400;

export interface PrintParts {
  feed: Feed;
  /** Visible only on paper. */
  note: HTMLElement;
  /** The entry at the top of the window, and the number of entries. */
  current(): number;
  total(): number;
}

/**
 * Everything that is printed must exist before the browser asks for it, because the browser does not wait. A long
 * conversation is therefore printed from the entry at the reader's position, and the printout says which part it is.
 */
export function installPrinting({ feed, note, current, total }: PrintParts): void {
  window.addEventListener("beforeprint", () => {
    const all = total();
    const first = all <= MOST_PRINTED ? 0 : current();
    const range = feed.beginPrint(first, MOST_PRINTED);
    replaceChildren(note, printNote(range, all, foldedParts()));
  });
  window.addEventListener("afterprint", () => feed.endPrint());
}

function foldedParts(): number {
  const closed = [...document.querySelectorAll("main details:not([open], .turn-figures)")];
  return closed.filter((details) => details.closest(".not-printed") === null).length;
}

function printNote({ first, end }: { first: number; end: number }, all: number, folded: number): string {
  const part =
    end - first === all
      ? `All ${count(all, "entry", "entries")} of this branch.`
      : `Entries ${(first + 1).toLocaleString()} to ${end.toLocaleString()} of ${all.toLocaleString()}: a long branch is printed starting with the entry at the top of the window.`;
  return folded === 0
    ? part
    : `${part} ${count(folded, "part")} left out because ${folded === 1 ? "it is" : "they are"} folded.`;
}
