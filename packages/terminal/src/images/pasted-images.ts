import type { InputImage } from "@pintle/client";

/** How many images are kept, for messages that are sent again. */
const MAX_IMAGES = 20;
const MARKER = /\[image #(\d+)\]/g;

/**
 * Stores images from the clipboard. A message contains a marker for each one; images whose marker was deleted are not
 * sent.
 */
export class PastedImages {
  readonly #images = new Map<number, InputImage>();
  #count = 0;

  /** Stores an image and returns its marker. */
  add(image: InputImage): string {
    this.#count += 1;
    this.#images.set(this.#count, image);
    this.#images.delete(this.#count - MAX_IMAGES);
    return `[image #${this.#count}]`;
  }

  namedIn(text: string): InputImage[] {
    const numbers = new Set([...text.matchAll(MARKER)].map((match) => Number(match[1])));
    return [...numbers].flatMap((number) => this.#images.get(number) ?? []);
  }
}
