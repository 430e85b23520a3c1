const MAX_CHARS = 4096;

/** The end of what a worker wrote to stderr: it says why the worker died. */
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
