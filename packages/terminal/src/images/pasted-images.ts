import type { InputImage } from "@pintle/client";

/** So many are kept, for messages that are sent again. */
const MAX_IMAGES = 20;
const MARKER = /\[image #(\d+)\]/g;

/** Images from the clipboard. In a message each is a marker; one whose marker was deleted is not sent. */
export class PastedImages {
  readonly #images = new Map<number, InputImage>();
  #count = 0;

  /** Gives the marker. */
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
