import { h, replaceChildren } from "../dom.ts";
import { FILTERS, type TreeFilter } from "./tree-model.ts";

export interface SidebarEvents {
  search(query: string): void;
  /** Enter in the search field. */
  nextMatch(step: 1 | -1): void;
  filter(filter: TreeFilter): void;
}

export interface Sidebar {
  readonly element: HTMLElement;
  readonly search: HTMLInputElement;
  say(text: string): void;
  setFilter(filter: TreeFilter): void;
}

const TYPING_PAUSE_MS = 150;

export function createSidebar(tree: HTMLElement, events: SidebarEvents): Sidebar {
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const search = h("input", {
    type: "search",
    class: "search",
    placeholder: "Search everything  ( / )",
    "aria-label": "Search in all entries",
    autocomplete: "off",
    spellcheck: "false",
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => events.search(search.value), TYPING_PAUSE_MS);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") events.nextMatch(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") search.blur();
  });
  const buttons = FILTERS.map(({ name, label }) =>
    h(
      "button",
      { type: "button", "data-filter": name, "aria-pressed": "false", onclick: () => events.filter(name) },
      label,
    ),
  );
  return {
    element: h(
      "nav",
      { class: "side", id: "side", "aria-label": "Entries" },
      search,
      h("div", { class: "filters", role: "group", "aria-label": "Entries to list" }, buttons),
      status,
      tree,
    ),
    search,
    say: (text) => replaceChildren(status, text),
    setFilter(filter) {
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.filter === filter));
    },
  };
}
