const MAX_CHARS = 4096;

/** Keeps the end of what a worker wrote to stderr, which explains why it died. */
export class StderrTail {
  readonly #decoder = new TextDecoder();
  #text = "";

  push(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.decode(chunk, { stream: true })).slice(-MAX_CHARS);
  }

  text(): string {
    return this.#text;
  }
}
