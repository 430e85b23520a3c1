import type { Fold } from "./folds.ts";

/** A part of the conversation on the screen: a message, a tool call, a notice. */
export interface FeedItem {
  /** Returns the final lines that were not taken yet. */
  finished(width: number): readonly string[];
  /** Drops the finished lines after they were written. */
  take(): void;
  /** Returns the lines below the finished ones, which may still change. */
  live(width: number): readonly string[];
  /** Whether the item is complete; the feed drops it with its last finished lines. */
  readonly isDone: boolean;
  /** The content that is shown folded. An item with a fold hands over all finished lines at once. */
  readonly fold?: Fold | undefined;
  /** Renders the finished lines again in the current fold state, for items with a fold. */
  again?(width: number): readonly string[];
}

/** An item that is complete from the beginning. */
export function finishedItem(render: (width: number) => readonly string[], fold?: Fold): FeedItem {
  let isTaken = false;
  let cache: { width: number; isOpen: boolean | undefined; lines: readonly string[] } | undefined;
  return {
    finished(width) {
      if (isTaken) return [];
      const isOpen = fold?.isOpen;
      if (cache?.width !== width || cache.isOpen !== isOpen) cache = { width, isOpen, lines: render(width) };
      return cache.lines;
    },
    take() {
      isTaken = true;
      cache = undefined;
    },
    live: () => [],
    isDone: true,
    fold,
    again: render,
  };
}
