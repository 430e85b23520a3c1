/** An abort signal that counts its listeners. */
export class CountedSignal {
  readonly #controller = new AbortController();
  #listeners = 0;

  constructor() {
    const { signal } = this.#controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      this.#listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      this.#listeners -= 1;
      remove(...args);
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The listeners that were added and not removed, including one that has been called. */
  get listenerCount(): number {
    return this.#listeners;
  }

  abort(): void {
    this.#controller.abort();
  }
}
