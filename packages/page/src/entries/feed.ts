import { h, replaceChildren } from "../dom.ts";
import type { Row } from "../page-data.ts";
import { type EntryContext, entryElement } from "./entry-view.ts";

/** Entries are built and removed in groups of so many: a place for each would be too much for the browser to watch. */
const GROUP = 8;
/** How far from the window entries are built. */
const MARGIN = 1200;

export interface Feed {
  readonly element: HTMLElement;
  /** `end`: the reader begins there. */
  show(context: EntryContext, from?: "end"): void;
  /** The conversation has grown. `isEndSeen`: what is new is built at once. */
  extend(isEndSeen: boolean): void;
  /** So many entries were put before the others. What the reader looks at stays where it is. */
  prepend(count: number): void;
  /** Builds the entry. */
  reveal(item: number): HTMLElement | undefined;
  /** The entry if it is built. */
  peek(item: number): HTMLElement | undefined;
  /** The entry at the top of the window. */
  current(): number;
  /** The built ones. */
  articles(): NodeListOf<HTMLElement>;
  /** Does something to the built ones; what the reader looks at stays where it is. */
  keepPlace<T>(change: () => T): T;
  /** Builds at least these and leaves all others out of the print. Gives which ones are in it. */
  beginPrint(first: number, count: number): { first: number; end: number };
  /** The reader is where they were before. */
  endPrint(): void;
}

/**
 * The conversation. Only what is near the window exists; the rest is empty space of about the right height. `scroller` is what
 * the reader scrolls, if not the window.
 */
export function createFeed(onBuilt: (article: HTMLElement) => void, scroller?: HTMLElement): Feed {
  const element = h("div", { class: "feed", role: "feed", "aria-labelledby": "conversation" });
  let context: EntryContext | undefined;
  let groups: HTMLElement[] = [];
  /** Items that were put before those that were shown first, from which the groups count. */
  let origin = 0;
  let print: { built: HTMLElement[]; returnToPlace: () => void } | undefined;
  const observer = new IntersectionObserver(
    (changes) => {
      const near = changes.filter(({ isIntersecting }) => isIntersecting);
      for (const { target } of near) build(target as HTMLElement);
      release(changes.filter((change) => !near.includes(change)).map(({ target }) => target as HTMLElement));
    },
    { root: scroller ?? null, rootMargin: `${MARGIN}px` },
  );

  function build(group: HTMLElement): void {
    if (!context || group.childElementCount > 0) return;
    addArticles(group);
    group.style.height = "";
  }

  /** Those that the group does not have yet. */
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

  /** The item that it begins with. */
  function firstOf(group: HTMLElement): number {
    return Number(group.dataset.first) + origin;
  }

  /** Where the group of an item stands. */
  function groupOf(item: number): number {
    let [low, high] = [0, groups.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (firstOf(groups[middle] as HTMLElement) <= item) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** All heights first: every change makes the browser compute the next one anew. */
  function release(far: readonly HTMLElement[]): void {
    if (print) return;
    const idle = far.filter((group) => group.childElementCount > 0 && !isInUse(group));
    const heights = idle.map((group) => group.offsetHeight);
    for (const [at, group] of idle.entries()) {
      group.style.height = `${heights[at]}px`;
      group.textContent = "";
    }
  }

  // What the reader has opened or closed must stay so.
  element.addEventListener("click", ({ target }) => {
    const group = (target as Element).closest?.(".group");
    if (group instanceof HTMLElement && (target as Element).closest("summary, button")) group.dataset.touched = "";
  });

  /** Which of how many the built ones are. */
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

  /** Gives what brings the entry that is looked at now back to where it is in the window now. */
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
      observer.disconnect();
      context = next;
      const { items, isPartial } = next.conversation;
      groups = [];
      origin = 0;
      for (let first = 0; first < items.length; first += GROUP) addGroup(first, next);
      replaceChildren(element, groups);
      if (items.length === 0 && !isPartial)
        replaceChildren(element, h("p", { class: "remark" }, "This session has no messages yet."));
      for (const group of from === "end" ? groups.slice(-2) : groups.slice(0, 2)) build(group);
      for (const group of groups) observer.observe(group);
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
      // Much may have come at once, and only the end of it is looked at.
      if (isEndSeen) for (const group of added.slice(-2)) build(group);
      for (const group of added) observer.observe(group);
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
        for (const group of added) observer.observe(group);
        number(sizeOf(shown));
      });
    },
    articles: () => element.querySelectorAll<HTMLElement>("article.entry"),
    beginPrint(first, count) {
      const [from, to] = [groupOf(first), groupOf(first + count - 1) + 1];
      const printed = groups.slice(from, to);
      // On paper the page is so much shorter that the window is moved to its end, and it stays there afterwards.
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
      // What is near, and stays built, is only known when the reader is back.
      ended?.returnToPlace();
      release((ended?.built ?? []).filter((group) => !isNear(group)));
    },
  };
}

/** The first that ends below that line; they follow each other. */
function firstBelow(groups: readonly HTMLElement[], line: number): number {
  let [low, high] = [0, groups.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((groups[middle] as HTMLElement).getBoundingClientRect().bottom > line) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** As readers of screens are told; -1: not known yet. */
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
