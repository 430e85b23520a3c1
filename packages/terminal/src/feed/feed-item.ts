import type { Fold } from "./folds.ts";

/** A part of the conversation as it is shown: a message, a call of a tool, a notice. */
export interface FeedItem {
  /** Lines that will never change again and were not taken yet. */
  finished(width: number): readonly string[];
  /** The finished lines have been written: they are the terminal's now. */
  take(): void;
  /** Lines that may still change; they stand below the finished ones. */
  live(width: number): readonly string[];
  /** Nothing more will come: with its last finished lines the feed forgets it. */
  readonly isDone: boolean;
  /** What it shows in short. An item that has one hands all its finished lines over at once. */
  readonly fold?: Fold | undefined;
  /** The finished lines again, in the current fold state; for items that can be folded. */
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
