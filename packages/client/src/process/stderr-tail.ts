/** Keeps the last bytes written, in a buffer that never grows. */
export class StderrTail {
  readonly #bytes: Uint8Array;
  #end = 0;
  #isFull = false;

  constructor(limit: number) {
    this.#bytes = new Uint8Array(limit);
  }

  push(chunk: Uint8Array): void {
    const limit = this.#bytes.length;
    const kept = chunk.length > limit ? chunk.subarray(chunk.length - limit) : chunk;
    const room = limit - this.#end;
    this.#bytes.set(kept.subarray(0, room), this.#end);
    this.#bytes.set(kept.subarray(room), 0);
    this.#isFull ||= kept.length >= room;
    this.#end = limit === 0 ? 0 : (this.#end + kept.length) % limit;
  }

  text(): string {
    if (!this.#isFull) return decode(this.#bytes.subarray(0, this.#end));
    const bytes = new Uint8Array(this.#bytes.length);
    bytes.set(this.#bytes.subarray(this.#end));
    bytes.set(this.#bytes.subarray(0, this.#end), bytes.length - this.#end);
    // The first character may be cut off.
    const start = bytes.findIndex(isFirstByte);
    return start < 0 ? "" : decode(bytes.subarray(start));
  }
}

const isFirstByte = (byte: number) => (byte & 0xc0) !== 0x80;
const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
