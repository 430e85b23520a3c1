const MAX_VALUE_BYTES = 24;

/** Finds a marker in a stream of bytes and keeps the few bytes that follow it. */
export class MarkerScan {
  readonly #marker: Buffer;
  /** The end of what was seen; from the marker on, once it was found. */
  #kept: Buffer = Buffer.alloc(0);
  #isFound = false;

  constructor(marker: string) {
    this.#marker = Buffer.from(marker);
  }

  add(piece: Uint8Array): void {
    const { length } = this.#marker;
    if (this.#isFound && this.#kept.length >= MAX_VALUE_BYTES) return;
    const seen = Buffer.concat([this.#kept, piece]);
    const at = this.#isFound ? 0 : seen.indexOf(this.#marker);
    const start = at === -1 ? Math.max(0, seen.length - length) : this.#isFound ? 0 : at + length;
    this.#isFound ||= at !== -1;
    this.#kept = Buffer.from(seen.subarray(start, this.#isFound ? start + MAX_VALUE_BYTES : undefined));
  }

  get value(): string | undefined {
    return this.#isFound ? this.#kept.toString("latin1") : undefined;
  }
}
