import { isDrawing } from "../screen/is-drawing.ts";
import { wrapped } from "../text/wrap.ts";
import { type FeedItem, finishedItem } from "./feed-item.ts";
import type { Fold } from "./folds.ts";

interface Written {
  lines: readonly string[];
  width: number;
  fold?: Fold | undefined;
  again?: ((width: number) => readonly string[]) | undefined;
}

/** More rows than any screen has. */
const MAX_ROWS = 300;

/** The lines that were written last. While they are on the screen, they can be written again with content unfolded. */
export class WrittenItems {
  #written: Written[] = [];
  #rows = 0;

  add(item: FeedItem, lines: readonly string[], width: number): void {
    if (lines.length === 0) return;
    this.#written.push({ lines, width, fold: item.fold, again: item.again?.bind(item) });
    this.#rows += lines.length;
    for (let first = this.#written[0]!; this.#rows - first.lines.length > MAX_ROWS; first = this.#written[0]!) {
      this.#rows -= first.lines.length;
      this.#written.shift();
    }
  }

  /** Returns the number of rows since that item began, or undefined if they are no longer stored. */
  rowsFrom(fold: Fold): number | undefined {
    const at = this.#written.findIndex((written) => written.fold === fold);
    return at === -1 ? undefined : this.#written.slice(at).reduce((sum, { lines }) => sum + lines.length, 0);
  }

  /** Removes and returns everything from that item on, to show it again. */
  takeFrom(fold: Fold): FeedItem[] {
    const at = this.#written.findIndex((written) => written.fold === fold);
    const items = at === -1 ? [] : this.#written.splice(at);
    for (const { lines } of items) this.#rows -= lines.length;
    return items.map(toItem);
  }
}

function toItem({ lines, width: before, fold, again }: Written): FeedItem {
  if (fold && again) return finishedItem(again, fold);
  // The lines were laid out for this width, unless the window was resized in between.
  return finishedItem((width) =>
    width >= before ? lines : lines.flatMap((line) => (isDrawing(line) ? [line] : wrapped(line, width))),
  );
}
