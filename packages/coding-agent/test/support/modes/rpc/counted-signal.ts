/** An abort signal that knows how many listen to it. */
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

  /** Those that were added and not removed; one that has fired counts until it is removed. */
  get listenerCount(): number {
    return this.#listeners;
  }

  abort(): void {
    this.#controller.abort();
  }
}
