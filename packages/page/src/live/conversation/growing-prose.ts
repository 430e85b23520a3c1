import { h } from "../../dom.ts";
import { readOpenEnd } from "../../markdown/growing.ts";
import { blockElement } from "../../markdown/rich-text.ts";

/** A block that is longer is drawn anew only when it has grown by a part of itself: all drawings together stay linear. */
const SMALL = 4_000;
const GROWTH = 1.05;

/**
 * A text that is being written. What stands in finished blocks is never looked at again: only the last, open block is parsed and
 * drawn anew.
 */
export class GrowingProse {
  readonly element: HTMLElement = h("div", { class: "prose" });
  #text = "";
  /** Behind the finished blocks. */
  #tail = "";
  #open: Node[] = [];
  #drawn = 0;

  get text(): string {
    return this.#text;
  }

  append(delta: string): void {
    this.#text += delta;
    this.#tail += delta;
  }

  /** Once per frame. */
  draw(): void {
    const { length } = this.#tail;
    if (length === this.#drawn || (length > SMALL && length > this.#drawn && length < this.#drawn * GROWTH)) return;
    this.#drawTail();
  }

  /** Everything is there. */
  finish(): void {
    if (this.#tail.length !== this.#drawn) this.#drawTail();
  }

  #drawTail(): void {
    const { blocks, open, rest } = readOpenEnd(this.#tail);
    for (const node of this.#open) this.element.removeChild(node);
    const nodes = blocks.map(blockElement);
    this.element.append(...nodes);
    this.#open = nodes.slice(open);
    this.#tail = rest;
    this.#drawn = this.#tail.length;
  }
}
