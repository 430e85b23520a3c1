import type { FeedItem } from "./feed-item.ts";

/**
 * The conversation from top to bottom. Items hand their final lines over in order, so one that still changes holds back those
 * behind it; an item that has handed over everything is forgotten, and a frame costs what is still open, not what was said.
 */
export class Feed {
  #items: FeedItem[] = [];
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  add<T extends FeedItem>(item: T): T {
    this.#items.push(item);
    this.#onChange();
    return item;
  }

  /** An item has something new to show. */
  changed(): void {
    this.#onChange();
  }

  /** Final lines that were not handed out before. */
  takeFinished(width: number): string[] {
    const lines: string[] = [];
    for (let first = this.#items[0]; first; first = this.#items[0]) {
      for (const line of first.finished(width)) lines.push(line);
      first.take();
      if (!first.isDone) break;
      this.#items.shift();
    }
    return lines;
  }

  /** What may still change, or waits behind something that may: the lowest lines, at most so many. */
  live(width: number, height: number): string[] {
    const lines: string[] = [];
    for (let index = this.#items.length - 1; index >= 0 && lines.length < height; index -= 1) {
      const item = this.#items[index]!;
      lines.unshift(...item.finished(width), ...item.live(width));
    }
    return height <= 0 ? [] : lines.slice(-height);
  }
}
