const NEWLINE = 0x0a;
/** Large enough for answers that contain images. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** The line exceeds the limit, and nothing after it can be parsed. */
export class MessageTooLong extends Error {
  constructor(limit: number) {
    super(`it sent a message of more than ${limit / 1024 / 1024} MiB`);
  }
}

/** Splits a server's output into lines, however it is chunked. */
export class MessageLines {
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(limit = MAX_MESSAGE_BYTES) {
    this.#limit = limit;
  }

  /** Returns the lines that are now complete, without line ends. Throws MessageTooLong. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#bytes += piece.length;
    if (this.#bytes > this.#limit) throw new MessageTooLong(this.#limit);
    this.#pieces.push(piece);
  }

  #take(): string {
    const [only, ...others] = this.#pieces;
    const bytes = only && others.length === 0 ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    return new TextDecoder().decode(bytes).replace(/\r$/, "");
  }
}
