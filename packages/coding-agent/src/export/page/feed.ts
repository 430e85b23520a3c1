import type { Row } from "../page-data.ts";
import { h, replaceChildren } from "./dom.ts";
import { type EntryContext, entryElement } from "./entry-view.ts";

/** Entries are built and removed in groups of so many: a place for each would be too much for the browser to watch. */
const GROUP = 8;
/** How far from the window entries are built. */
const MARGIN = "1200px";

export interface Feed {
  readonly element: HTMLElement;
  show(context: EntryContext): void;
  /** Builds the entry and brings it to the top of the window. */
  reveal(item: number): HTMLElement | undefined;
  /** The entry at the top of the window. */
  current(): number;
  /** The built ones. */
  articles(): NodeListOf<HTMLElement>;
  buildAll(): void;
}

/** The conversation. Only what is near the window exists; the rest is empty space of about the right height. */
export function createFeed(onBuilt: (article: HTMLElement) => void): Feed {
  const element = h("div", { class: "feed", role: "feed", "aria-label": "Conversation" });
  let context: EntryContext | undefined;
  let groups: HTMLElement[] = [];
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) build(target as HTMLElement);
        else release(target as HTMLElement);
      }
    },
    { rootMargin: MARGIN },
  );

  function build(group: HTMLElement): void {
    if (!context || group.childElementCount > 0) return;
    const { items } = context.conversation;
    const first = Number(group.dataset.first);
    for (let at = first; at < Math.min(first + GROUP, items.length); at += 1) {
      const article = entryElement(items[at] as number, context, { at, of: items.length });
      group.append(article);
      onBuilt(article);
    }
    group.style.height = "";
  }

  function release(group: HTMLElement): void {
    const isInUse = group.dataset.touched !== undefined || group.contains(document.activeElement) || isSelecting(group);
    if (group.childElementCount === 0 || isInUse) return;
    group.style.height = `${group.offsetHeight}px`;
    group.textContent = "";
  }

  // What the reader has opened or closed must stay so.
  element.addEventListener("click", ({ target }) => {
    const group = (target as Element).closest?.(".group");
    if (group instanceof HTMLElement && (target as Element).closest("summary, button")) group.dataset.touched = "";
  });

  return {
    element,
    show(next) {
      observer.disconnect();
      context = next;
      const { items } = next.conversation;
      groups = [];
      for (let first = 0; first < items.length; first += GROUP) {
        const group = h("div", { class: "group", "data-first": first });
        group.style.height = `${guessHeight(items.slice(first, first + GROUP), next.source.rows)}px`;
        groups.push(group);
      }
      replaceChildren(element, groups);
      if (items.length === 0)
        replaceChildren(element, h("p", { class: "remark" }, "This session has no messages yet."));
      for (const group of groups.slice(0, 2)) build(group);
      for (const group of groups) observer.observe(group);
    },
    reveal(item) {
      const at = Math.floor(item / GROUP);
      for (const group of groups.slice(Math.max(0, at - 1), at + 3)) build(group);
      const article = groups[at]?.children[item % GROUP];
      return article instanceof HTMLElement ? article : undefined;
    },
    current() {
      const top = document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0;
      const group = groups.find((candidate) => candidate.getBoundingClientRect().bottom > top + 12);
      if (!group) return Math.max(0, (context?.conversation.items.length ?? 0) - 1);
      const inside = [...group.children].findIndex((child) => child.getBoundingClientRect().bottom > top + 12);
      return Number(group.dataset.first) + Math.max(0, inside);
    },
    articles: () => element.querySelectorAll<HTMLElement>("article.entry"),
    buildAll: () => groups.forEach(build),
  };
}

function isSelecting(group: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(group, true);
}

function guessHeight(items: readonly number[], rows: readonly Row[]): number {
  return items.reduce((sum, place) => {
    const { kind, size } = rows[place] as Row;
    return sum + (kind === "change" ? 30 : 70 + Math.min(500, size / 4));
  }, 0);
}
