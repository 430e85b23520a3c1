import { h, replaceChildren } from "../../dom.ts";
import { parseMarkdown } from "../../markdown/blocks.ts";
import { readOpenEnd } from "../../markdown/growing.ts";
import type { LinkDefinitions } from "../../markdown/lexer.ts";
import { blockElement } from "../../markdown/rich-text.ts";

/**
 * A longer block is redrawn only after it has grown by a fraction of its size, so that all redraws together stay
 * linear.
 */
const SMALL = 4_000;
const GROWTH = 1.05;

/**
 * Text that is being streamed. Finished blocks are never parsed again: only the last, open block is parsed and redrawn.
 */
export class GrowingProse {
  readonly element: HTMLElement = h("div", { class: "prose" });
  #text = "";
  /** The element after the finished blocks. */
  #tail = "";
  #open: Node[] = [];
  #drawn = 0;
  /** Definitions found so far. */
  readonly #links: LinkDefinitions = Object.create(null);

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

  /** The text is complete. */
  finish(): void {
    if (this.#tail.length !== this.#drawn) this.#drawTail();
    // Link definitions at the end of the text affect what is before them.
    if (Object.keys(this.#links).length > 0) replaceChildren(this.element, parseMarkdown(this.#text).map(blockElement));
  }

  #drawTail(): void {
    const { blocks, open, rest } = readOpenEnd(this.#tail, this.#links);
    for (const node of this.#open) this.element.removeChild(node);
    const nodes = blocks.map(blockElement);
    this.element.append(...nodes);
    this.#open = nodes.slice(open);
    this.#tail = rest;
    this.#drawn = this.#tail.length;
  }
}
