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
}

/** An item that is complete from the beginning. */
export function finishedItem(render: (width: number) => readonly string[]): FeedItem {
  let cache: { width: number; lines: readonly string[] } | undefined;
  return {
    finished(width) {
      if (cache?.width !== width) cache = { width, lines: render(width) };
      return cache.lines;
    },
    take() {
      cache = { width: 0, lines: [] };
    },
    live: () => [],
    isDone: true,
  };
}
