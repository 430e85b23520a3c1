import { countNewlines } from "@pintle/foundation";

const FIRST_SIZE = 4096;
const NEWLINE = 0x0a;

/** Keeps the last bytes of a stream and exact counts of the whole. Memory stays below `capacity` whatever arrives. */
export class OutputTail {
  readonly #capacity: number;
  #ring = new Uint8Array(0);
  /** The index of the next byte. */
  #position = 0;
  #totalBytes = 0;
  #newlines = 0;
  #lastByte: number | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** The number of lines, including a last line without a newline. */
  get totalLines(): number {
    return this.#newlines + (this.#totalBytes > 0 && this.#lastByte !== NEWLINE ? 1 : 0);
  }

  /** Returns whether a chunk of this size fits without losing earlier bytes. */
  hasRoomFor(bytes: number): boolean {
    return this.#totalBytes + bytes <= this.#capacity;
  }

  append(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#newlines += countNewlines(chunk);
    this.#lastByte = chunk[chunk.length - 1];
    this.#grow(chunk.length);
    this.#totalBytes += chunk.length;
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#ring.length));
    const beforeWrap = kept.subarray(0, this.#ring.length - this.#position);
    this.#ring.set(beforeWrap, this.#position);
    this.#ring.set(kept.subarray(beforeWrap.length), 0);
    this.#position = (this.#position + kept.length) % this.#ring.length;
  }

  /** Returns a copy of the last bytes, at most `limit`. */
  bytes(limit = this.#capacity): Uint8Array {
    const count = Math.min(limit, this.#totalBytes, this.#ring.length);
    const start = this.#position - count;
    if (start >= 0) return this.#ring.slice(start, this.#position);
    const result = new Uint8Array(count);
    result.set(this.#ring.subarray(this.#ring.length + start), 0);
    result.set(this.#ring.subarray(0, this.#position), -start);
    return result;
  }

  #grow(added: number): void {
    const needed = Math.min(this.#totalBytes + added, this.#capacity);
    if (needed <= this.#ring.length) return;
    const grown = new Uint8Array(Math.min(this.#capacity, Math.max(FIRST_SIZE, this.#ring.length * 2, needed)));
    // Nothing has wrapped before the full size is reached, except that an exactly full ring restarts at index 0.
    grown.set(this.#ring.subarray(0, this.#totalBytes));
    this.#position = this.#totalBytes;
    this.#ring = grown;
  }
}
