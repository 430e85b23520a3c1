import { entryHash } from "../entry-hash.ts";
import { type Row, subagentRowId } from "../page-data.ts";
import type { PageSource } from "../page-source.ts";
import { buildConversation, type Conversation, childrenOf, isBookkeeping, newestLeaf } from "../tree/conversation.ts";
import type { Feed } from "./feed.ts";
import type { Folds } from "./folds.ts";

export interface Navigation {
  readonly conversation: Conversation;
  readonly children: ReadonlyMap<number, readonly number[]>;
  /** Shows the entry, switching to another branch if necessary. */
  goTo(place: number, options?: { focuses?: boolean }): void;
  /** The item of the conversation at the reader's position. */
  item(): number;
  goToItem(item: number): void;
  /** Draws the selected branch. */
  showBranch(): void;
  showData(showsData: boolean): void;
  /** Hidden unless everything is shown. */
  isBookkeeping(place: number): boolean;
  /** The answer, or one of its calls. */
  hasFailed(row: Row): boolean;
}

export interface NavigationParts {
  source: PageSource;
  feed: Feed;
  folds: Folds;
}

/** Owns the reader's position: the shown branch and the current entry. */
export function createNavigation(
  { source, feed, folds }: NavigationParts,
  onBranch: () => void,
  onEntry: (article: HTMLElement, place: number, item: number) => void,
): Navigation {
  const children = childrenOf(source.rows);
  let showsData = false;
  let conversation = buildConversation(source.rows, source.index.leaf, showsData);
  let chosen: number | undefined;
  let target: HTMLElement | undefined;

  function show(leaf: number): void {
    conversation = buildConversation(source.rows, leaf, showsData);
    feed.show({ source, conversation, folds, linkToSubagent });
    chosen = undefined;
    onBranch();
  }

  function linkToSubagent(subagent: string): string | undefined {
    const id = subagentRowId(subagent);
    return source.find(id) === undefined ? undefined : entryHash(id);
  }

  function goTo(place: number, { focuses = true } = {}): void {
    if (!conversation.onPath.has(place)) show(newestLeaf(children, place));
    const owner = conversation.ownerOf.get(place) ?? place;
    const item = nearestItem(conversation.items, owner);
    const article = feed.reveal(item);
    if (!article) return;
    chosen = item;
    target = article.querySelector<HTMLElement>(`[data-row="${place}"]`) ?? article;
    if (target instanceof HTMLDetailsElement) target.open = true;
    for (const old of feed.element.querySelectorAll(".is-chosen")) old.classList.remove("is-chosen");
    article.classList.add("is-chosen");
    onEntry(article, place, item);
    if (focuses) article.focus({ preventScroll: true });
    scrollToTarget();
  }

  /** Entries above the target may still change their height for a moment. By then a later call may have another target. */
  function scrollToTarget(): void {
    const align = () => target?.scrollIntoView({ block: "start", behavior: "instant" });
    align();
    requestAnimationFrame(() => requestAnimationFrame(align));
  }

  return {
    get conversation() {
      return conversation;
    },
    children,
    goTo,
    item: () => (chosen !== undefined && isInWindow(feed, chosen) ? chosen : feed.current()),
    goToItem(item) {
      const place = conversation.items[Math.max(0, Math.min(conversation.items.length - 1, item))];
      if (place !== undefined) goTo(place);
    },
    showBranch: () => show(conversation.leaf),
    isBookkeeping: (place) => isBookkeeping(source.rows[place] as Row),
    hasFailed: ({ state, calls = [] }) =>
      state !== undefined ||
      calls.some(({ id }) => source.rows[conversation.resultOf.get(id) ?? -1]?.state !== undefined),
    showData(next) {
      if (next === showsData) return;
      showsData = next;
      show(conversation.leaf);
    },
  };
}

function isInWindow(feed: Feed, item: number): boolean {
  const box = feed.peek(item)?.getBoundingClientRect();
  return box !== undefined && box.bottom > 0 && box.top < window.innerHeight;
}

/** The item itself, or the last one before a row that is not shown. Items are in order. */
function nearestItem(items: readonly number[], place: number): number {
  let [low, high] = [0, items.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((items[middle] as number) <= place) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** Returns the next row of that kind below or above, or undefined if there is none. */
export function findItem(
  { items }: Conversation,
  rows: readonly Row[],
  from: number,
  step: 1 | -1,
  isWanted: (row: Row) => boolean,
): number | undefined {
  for (let at = from + step; at >= 0 && at < items.length; at += step) {
    if (isWanted(rows[items[at] as number] as Row)) return at;
  }
  return undefined;
}
