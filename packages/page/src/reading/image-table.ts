import type { Block } from "../page-data.ts";
import type { Fields } from "./plain-value.ts";

/** Image types that contain only pixels. */
const PIXELS = /^image\/(?:png|jpe?g|gif|webp|avif|bmp)$/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const REFERENCE = /^blob:sha256:[0-9a-f]{64}$/;

/** Returns the data of a reference as base64. With `later`, references are kept and resolved when an image is shown. */
type ReadImage = ((reference: string) => string | undefined) | "later";

/** Collects the images of a page, each once. */
export class ImageTable {
  readonly #read: ReadImage;
  readonly #places = new Map<string, number>();
  readonly #images: string[] = [];

  constructor(read: ReadImage) {
    this.#read = read;
  }

  /** Data addresses, or references. */
  get images(): readonly string[] {
    return this.#images;
  }

  block({ data, mimeType }: Fields): Block {
    const type = typeof mimeType === "string" ? mimeType : "";
    if (!PIXELS.test(type)) return { type: "missing", note: `Image of type ${type || "unknown"} is not shown` };
    if (typeof data !== "string") return { type: "missing", note: "Image without data" };
    const known = this.#places.get(data);
    if (known !== undefined) return { type: "image", image: known, mimeType: type };
    if (this.#read === "later" && REFERENCE.test(data)) return this.#add(data, data, type);
    const base64 = this.#read !== "later" && REFERENCE.test(data) ? this.#read(data) : data;
    if (base64 === undefined) return { type: "missing", note: "Image unavailable: its file no longer exists" };
    if (!BASE64.test(base64)) return { type: "missing", note: "Image unavailable: its data is damaged" };
    return this.#add(data, `data:${type.toLowerCase()};base64,${base64}`, type);
  }

  #add(data: string, address: string, mimeType: string): Block {
    const image = this.#images.push(address) - 1;
    this.#places.set(data, image);
    return { type: "image", image, mimeType };
  }
}
