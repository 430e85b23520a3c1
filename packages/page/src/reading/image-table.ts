import type { Block } from "../page-data.ts";
import type { Fields } from "./plain-value.ts";

/** Pictures that hold nothing but pixels. */
const PIXELS = /^image\/(?:png|jpe?g|gif|webp|avif|bmp)$/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const REFERENCE = /^blob:sha256:[0-9a-f]{64}$/;

/** The pictures of a page, each once, however often the conversation shows it. */
export class ImageTable {
  readonly #read: (reference: string) => string | undefined;
  readonly #places = new Map<string, number>();
  readonly #images: string[] = [];

  /** `read` gives the data behind a reference, as base64. */
  constructor(read: (reference: string) => string | undefined) {
    this.#read = read;
  }

  /** As addresses that a page may load. */
  get images(): readonly string[] {
    return this.#images;
  }

  block({ data, mimeType }: Fields): Block {
    const type = typeof mimeType === "string" ? mimeType : "";
    if (!PIXELS.test(type)) return { type: "missing", note: `Image of type ${type || "unknown"} is not shown` };
    if (typeof data !== "string") return { type: "missing", note: "Image without data" };
    const known = this.#places.get(data);
    if (known !== undefined) return { type: "image", image: known, mimeType: type };
    const base64 = REFERENCE.test(data) ? this.#read(data) : data;
    if (base64 === undefined) return { type: "missing", note: "Image unavailable: its file is not there any more" };
    if (!BASE64.test(base64)) return { type: "missing", note: "Image unavailable: its data is damaged" };
    const image = this.#images.push(`data:${type.toLowerCase()};base64,${base64}`) - 1;
    this.#places.set(data, image);
    return { type: "image", image, mimeType: type };
  }
}
