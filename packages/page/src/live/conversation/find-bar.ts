import { h, replaceChildren } from "../../dom.ts";
import { createSearch } from "../../search/search-control.ts";
import { createMarks } from "../../search/text-marks.ts";
import type { LiveApp } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";

const TYPING_PAUSE_MS = 150;

interface ShownFeed {
  /** The entries that are built. */
  articles(): Iterable<HTMLElement>;
  /** The item at the top of the window. */
  current(): number;
  /** Scrolls to an item. */
  reveal(item: number): HTMLElement | undefined;
}

export interface FindBar {
  readonly element: HTMLElement;
  open(): void;
  /** Called when entries were built, which may contain the words. */
  mark(): void;
}

/** Searches the current conversation, including parts that are folded or not loaded yet. */
export function createFindBar(app: LiveApp, { transcript, earlier, signal }: OpenSession, feed: ShownFeed): FindBar {
  const marks = createMarks();
  const search = createSearch({
    get rows() {
      return transcript.rows;
    },
    bodyText: (place) => JSON.stringify(transcript.body(place, "data")),
  });
  const count = h("span", { class: "find-count", role: "status" });
  const field = h("input", {
    type: "search",
    class: "find-field",
    "aria-label": "Search this conversation",
    placeholder: "Search this conversation",
    autocomplete: "off",
    spellcheck: "false",
  });
  const button = (label: string, sign: string, act: () => void) =>
    h("button", { type: "button", class: "quiet-button", "aria-label": label, title: label, onclick: act }, sign);
  const element = h(
    "search",
    { class: "find-bar", hidden: true },
    field,
    count,
    button("Previous match (Shift+Enter)", "↑", () => step(-1)),
    button("Next match (Enter)", "↓", () => step(1)),
    button("Close the search (Esc)", "✕", close),
  );
  const isShown = (place: number) => transcript.conversation.onPath.has(place);

  async function find(): Promise<void> {
    if (field.value.trim() !== "") await earlier.readUntil();
    if (signal.aborted || !(await search.find(field.value))) return;
    const found = [...(search.matches() ?? [])].filter(isShown).length;
    replaceChildren(count, search.matches() !== undefined && (found === 0 ? "No match" : `${found} found`));
    mark();
  }

  function mark(): void {
    marks.mark(feed.articles(), element.hidden ? "" : search.query());
  }

  function step(by: 1 | -1): void {
    const { items, ownerOf } = transcript.conversation;
    const next = search.step(by, items[feed.current()] ?? -1, isShown);
    if (!next || !isShown(next.row)) return;
    const article = feed.reveal(items.indexOf(ownerOf.get(next.row) ?? next.row));
    if (!article) return;
    marks.openMatches(article, search.query());
    replaceChildren(count, `${next.at} of ${next.of}`);
    mark();
    field.focus({ preventScroll: true });
  }

  function close(): void {
    element.hidden = true;
    mark();
    app.layout.composer.querySelector("textarea")?.focus();
  }

  const searchNow = () => app.attempt("Searching", find);
  let typing: ReturnType<typeof setTimeout> | undefined;
  field.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => void searchNow(), TYPING_PAUSE_MS); // never rejects
  });
  const stepAfterSearch = async (by: 1 | -1) => {
    if (search.query() !== field.value.trim()) {
      clearTimeout(typing);
      await searchNow();
    }
    step(by);
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key !== "Enter") return;
    event.preventDefault();
    void stepAfterSearch(event.shiftKey ? -1 : 1); // never rejects
  });
  signal.addEventListener("abort", () => {
    clearTimeout(typing);
    marks.mark([], "");
  });
  return {
    element,
    mark,
    open() {
      element.hidden = false;
      field.select();
      field.focus();
    },
  };
}
