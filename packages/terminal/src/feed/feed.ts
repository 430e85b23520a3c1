import type { FeedItem } from "./feed-item.ts";
import type { Fold } from "./folds.ts";
import { WrittenItems } from "./written-items.ts";

/**
 * The conversation from top to bottom. Items hand over their final lines in order, so an item that still changes holds back
 * those after it. Complete items are dropped, so a frame costs only as much as the open ones.
 */
export class Feed {
  readonly #items: FeedItem[] = [];
  readonly #written = new WrittenItems();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  add<T extends FeedItem>(item: T): T {
    this.#items.push(item);
    this.#onChange();
    return item;
  }

  /** Requests a frame for an item that has changed. */
  changed(): void {
    this.#onChange();
  }

  /**
   * Unfolds content in place. `reclaim` takes that many final lines back from the terminal, to write them again. Returns false if
   * they are no longer on the screen.
   */
  unfold(fold: Fold, reclaim: (rows: number) => boolean): boolean {
    if (!this.#items.some((item) => item.fold === fold)) {
      const rows = this.#written.rowsFrom(fold);
      if (rows === undefined || !reclaim(rows)) return false;
      this.#items.unshift(...this.#written.takeFrom(fold));
    }
    fold.isOpen = true;
    this.#onChange();
    return true;
  }

  /** Returns the final lines since the last call. */
  takeFinished(width: number): string[] {
    const lines: string[] = [];
    for (let first = this.#items[0]; first; first = this.#items[0]) {
      const finished = first.finished(width);
      for (const line of finished) lines.push(line);
      this.#written.add(first, finished, width);
      first.take();
      if (!first.isDone) break;
      this.#items.shift();
    }
    return lines;
  }

  /** Returns the last lines that may still change or wait for others, at most `height`. */
  live(width: number, height: number): string[] {
    const lines: string[] = [];
    for (let index = this.#items.length - 1; index >= 0 && lines.length < height; index -= 1) {
      const item = this.#items[index]!;
      lines.unshift(...item.finished(width), ...item.live(width));
    }
    return height <= 0 ? [] : lines.slice(-height);
  }
}
