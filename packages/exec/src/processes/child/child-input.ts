/**
 * The part of Bun's sink that is used. Declared here so that the type declarations for extension authors do not depend on Bun's
 * types.
 */
interface Sink {
  write(text: string): unknown;
  flush(): unknown;
  end(): unknown;
}

/** The stdin of one child. Writing to a child that has exited or closed its input never causes an unhandled error. */
export class ChildInput {
  readonly #sink: Sink;
  #isOpen = true;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Resolves when the pipe has accepted the text. Rejects if the program has closed it; `exited` reports its exit. */
  async write(text: string): Promise<void> {
    if (!this.#isOpen) throw new Error("The input of the program is closed");
    try {
      await Promise.all([this.#sink.write(text), this.#sink.flush()]);
    } catch (cause) {
      throw new Error("The program no longer reads its input", { cause });
    }
  }

  /** Closes the input, which makes most servers exit. Has no effect if the child has exited. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    void Promise.try(() => this.#sink.end()).catch(() => {}); // it exited first
  }
}
