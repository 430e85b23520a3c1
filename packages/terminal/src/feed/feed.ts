import type { FeedItem } from "./feed-item.ts";
import type { Fold } from "./folds.ts";
import { WrittenItems } from "./written-items.ts";

/**
 * The conversation from top to bottom. Items hand over their final lines in order, so one that still changes holds back
 * those after it. An item that has handed over everything is soon dropped, so a frame costs only what is still open.
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

  /** An item has something new to show. */
  changed(): void {
    this.#onChange();
  }

  /**
   * Shows what was folded where it stands. `reclaim` takes so many of the final lines back from the terminal, to be written again.
   * False: it is not on the screen any more.
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

  /** Final lines that were not handed out before. */
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
