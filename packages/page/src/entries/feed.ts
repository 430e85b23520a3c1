import { h, replaceChildren } from "../dom.ts";
import type { Row } from "../page-data.ts";
import { type EntryContext, entryElement } from "./entry-view.ts";

/** Entries are built and removed in groups of this size, because the browser cannot observe every single one. */
const GROUP = 8;
/** How far from the window entries are built. */
const MARGIN = 1200;
/**
 * How far from the window they are removed. This is farther, because an entry may be taller or shorter than the space that was
 * reserved for it; with the same distance, that could move it in and out of range forever.
 */
const RELEASE_MARGIN = 2 * MARGIN;

export interface Feed {
  readonly element: HTMLElement;
  /** `end` starts at the end. */
  show(context: EntryContext, from?: "end"): void;
  /** Handles new entries. With `isEndSeen`, they are built at once. */
  extend(isEndSeen: boolean): void;
  /** Handles entries inserted before the others. The visible position does not move. */
  prepend(count: number): void;
  /** Builds the entry. */
  reveal(item: number): HTMLElement | undefined;
  /** Returns the entry if it is built. */
  peek(item: number): HTMLElement | undefined;
  /** The entry at the top of the window. */
  current(): number;
  /** The entries that are built. */
  articles(): NodeListOf<HTMLElement>;
  /** Applies a change to the built entries. The visible position does not move. */
  keepPlace<T>(change: () => T): T;
  /** Builds at least these entries and excludes all others from printing. Returns the included ones. */
  beginPrint(first: number, count: number): { first: number; end: number };
  /** Restores the reader's position. */
  endPrint(): void;
}

/**
 * Shows the conversation. Only entries near the window exist; the rest is empty space of about the right height. `scroller` is what
 * the reader scrolls, if not the window.
 */
export function createFeed(onBuilt: (article: HTMLElement) => void, scroller?: HTMLElement): Feed {
  const element = h("div", { class: "feed", role: "feed", "aria-labelledby": "conversation" });
  let context: EntryContext | undefined;
  let groups: HTMLElement[] = [];
  /** Number of items inserted before those shown first. Groups are numbered from the latter. */
  let origin = 0;
  let print: { built: HTMLElement[]; returnToPlace: () => void } | undefined;
  const watchAt = (margin: number, isWanted: boolean, act: (groups: HTMLElement[]) => void) =>
    new IntersectionObserver(
      (changes) => {
        const wanted = changes.filter(({ isIntersecting }) => isIntersecting === isWanted);
        if (wanted.length > 0) act(wanted.map(({ target }) => target as HTMLElement));
      },
      { root: scroller ?? null, rootMargin: `${margin}px` },
    );
  const observers = [watchAt(MARGIN, true, (near) => near.forEach(build)), watchAt(RELEASE_MARGIN, false, release)];
  const observe = (added: readonly HTMLElement[]) => {
    for (const observer of observers) for (const group of added) observer.observe(group);
  };

  function build(group: HTMLElement): void {
    if (!context || group.childElementCount > 0) return;
    addArticles(group);
    group.style.height = "";
  }

  /** Items that the group does not contain yet. */
  function addArticles(group: HTMLElement): void {
    if (!context) return;
    const { items } = context.conversation;
    const next = group.nextElementSibling;
    const end = next instanceof HTMLElement ? firstOf(next) : Math.min(firstOf(group) + GROUP, items.length);
    for (let at = firstOf(group) + group.childElementCount; at < end; at += 1) {
      const article = entryElement(items[at] as number, context, { at, of: sizeOf(context) });
      group.append(article);
      onBuilt(article);
    }
  }

  function makeGroup(first: number, end: number, { conversation, source }: EntryContext): HTMLElement {
    const group = h("div", { class: "group", "data-first": first - origin });
    group.style.height = `${guessHeight(conversation.items.slice(first, end), source.rows)}px`;
    return group;
  }

  function addGroup(first: number, context: EntryContext): HTMLElement {
    const group = makeGroup(first, first + GROUP, context);
    groups.push(group);
    return group;
  }

  /** Its first item. */
  function firstOf(group: HTMLElement): number {
    return Number(group.dataset.first) + origin;
  }

  /** Position of an item's group. */
  function groupOf(item: number): number {
    let [low, high] = [0, groups.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (firstOf(groups[middle] as HTMLElement) <= item) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Read all heights first: every change makes the browser recompute the next one. */
  function release(far: readonly HTMLElement[]): void {
    if (print) return;
    const idle = far.filter((group) => group.childElementCount > 0 && !isInUse(group));
    const heights = idle.map((group) => group.getBoundingClientRect().height);
    for (const [at, group] of idle.entries()) {
      group.style.height = `${heights[at]}px`;
      group.textContent = "";
    }
  }

  // Keep what the reader has opened or closed.
  element.addEventListener("click", ({ target }) => {
    const group = (target as Element).closest?.(".group");
    if (group instanceof HTMLElement && (target as Element).closest("summary, button")) group.dataset.touched = "";
  });

  /** Range of the built entries. */
  function number(of: number): void {
    for (const group of groups)
      for (const [at, article] of [...group.children].entries()) {
        article.setAttribute("aria-posinset", String(firstOf(group) + at + 1));
        article.setAttribute("aria-setsize", String(of));
      }
  }

  function current(): number {
    const top = (scroller ? scroller.getBoundingClientRect().top : barHeight()) + 20;
    const group = groups[firstBelow(groups, top)];
    if (!group) return Math.max(0, (context?.conversation.items.length ?? 0) - 1);
    const inside = [...group.children].findIndex((child) => child.getBoundingClientRect().bottom > top);
    return firstOf(group) + Math.max(0, inside);
  }

  function reveal(item: number): HTMLElement | undefined {
    const at = groupOf(item);
    for (const group of groups.slice(Math.max(0, at - 1), at + 3)) build(group);
    return peek(item);
  }

  function peek(item: number): HTMLElement | undefined {
    const group = groups[groupOf(item)];
    const article = group?.children[item - firstOf(group)];
    return article instanceof HTMLElement ? article : undefined;
  }

  /** Returns a function that restores the current scroll position of the visible entry. */
  function rememberPlace(): () => void {
    const anchor = groups.length > 0 ? reveal(current()) : undefined;
    if (!anchor) return () => {};
    const before = anchor.getBoundingClientRect().top;
    return () =>
      (scroller ?? window).scrollBy({ top: anchor.getBoundingClientRect().top - before, behavior: "instant" });
  }

  function keepPlace<T>(change: () => T): T {
    const returnToPlace = rememberPlace();
    const result = change();
    returnToPlace();
    return result;
  }

  return {
    element,
    keepPlace,
    current,
    peek,
    reveal,
    show(next, from) {
      for (const observer of observers) observer.disconnect();
      context = next;
      const { items, isPartial } = next.conversation;
      groups = [];
      origin = 0;
      for (let first = 0; first < items.length; first += GROUP) addGroup(first, next);
      replaceChildren(element, groups);
      if (items.length === 0 && !isPartial)
        replaceChildren(element, h("p", { class: "remark" }, "This session has no messages yet."));
      for (const group of from === "end" ? groups.slice(-2) : groups.slice(0, 2)) build(group);
      observe(groups);
    },
    extend(isEndSeen) {
      if (!context) return;
      const { items } = context.conversation;
      if (groups.length === 0 && items.length > 0) element.textContent = "";
      const last = groups.at(-1);
      if (last && (isEndSeen || last.childElementCount > 0)) {
        addArticles(last);
        last.style.height = "";
      }
      const added: HTMLElement[] = [];
      for (let first = last ? firstOf(last) + GROUP : 0; first < items.length; first += GROUP)
        added.push(addGroup(first, context));
      element.append(...added);
      // Many entries may arrive at once, and only the last ones are visible.
      if (isEndSeen) for (const group of added.slice(-2)) build(group);
      observe(added);
    },
    prepend(count) {
      const shown = context;
      if (!shown || count === 0) return;
      if (groups.length === 0) element.textContent = "";
      keepPlace(() => {
        origin += count;
        const added: HTMLElement[] = [];
        for (let end = count; end > 0; end -= GROUP) added.push(makeGroup(Math.max(0, end - GROUP), end, shown));
        added.reverse();
        groups = [...added, ...groups];
        element.prepend(...added);
        observe(added);
        number(sizeOf(shown));
      });
    },
    articles: () => element.querySelectorAll<HTMLElement>("article.entry"),
    beginPrint(first, count) {
      const [from, to] = [groupOf(first), groupOf(first + count - 1) + 1];
      const printed = groups.slice(from, to);
      // The printed page is so much shorter that the window moves to its end and would stay there.
      const returnToPlace = rememberPlace();
      print = { built: printed.filter((group) => group.childElementCount === 0), returnToPlace };
      for (const group of printed) build(group);
      for (const [at, group] of groups.entries()) group.classList.toggle("not-printed", at < from || at >= to);
      const [begin, next] = [groups[from], groups[to]];
      return {
        first: begin ? firstOf(begin) : 0,
        end: next ? firstOf(next) : (context?.conversation.items.length ?? 0),
      };
    },
    endPrint() {
      for (const group of groups) group.classList.remove("not-printed");
      const ended = print;
      print = undefined;
      // Which entries are near is known only after the position is restored.
      ended?.returnToPlace();
      release((ended?.built ?? []).filter((group) => !isNear(group)));
    },
  };
}

/** The first that ends below that line; entries are in order. */
function firstBelow(groups: readonly HTMLElement[], line: number): number {
  let [low, high] = [0, groups.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((groups[middle] as HTMLElement).getBoundingClientRect().bottom > line) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** For screen readers; -1 if not known yet. */
function sizeOf({ conversation: { items, isPartial } }: EntryContext): number {
  return isPartial ? -1 : items.length;
}

function isInUse(group: HTMLElement): boolean {
  return group.dataset.touched !== undefined || group.contains(document.activeElement) || isSelecting(group);
}

function isSelecting(group: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(group, true);
}

function isNear(group: HTMLElement): boolean {
  const { top, bottom } = group.getBoundingClientRect();
  return bottom > -MARGIN && top < window.innerHeight + MARGIN;
}

function barHeight(): number {
  return document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0;
}

function guessHeight(items: readonly number[], rows: readonly Row[]): number {
  return items.reduce((sum, place) => {
    const { kind, size } = rows[place] as Row;
    return sum + (kind === "change" ? 30 : 70 + Math.min(500, size / 4));
  }, 0);
}
