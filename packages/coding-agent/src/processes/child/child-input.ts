/** What is used of Bun's sink. Named here, so that the declarations for authors of extensions need none of Bun's types. */
interface Sink {
  write(text: string): unknown;
  flush(): unknown;
  end(): unknown;
}

/** The stdin of one child. Nothing written to a child that has ended, or that reads no more, throws where there is no listener. */
export class ChildInput {
  readonly #sink: Sink;
  #isOpen = true;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Resolves when the pipe has taken the text. Rejects when the program has closed it; of its end its exit tells. */
  async write(text: string): Promise<void> {
    if (!this.#isOpen) throw new Error("The input of the program is closed");
    try {
      await Promise.all([this.#sink.write(text), this.#sink.flush()]);
    } catch (cause) {
      throw new Error("The program does not read its input any more", { cause });
    }
  }

  /** The program sees the end of its input, which asks most servers to end. Harmless when it has ended. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    void Promise.try(() => this.#sink.end()).catch(() => {}); // gone before it was asked to
  }
}
