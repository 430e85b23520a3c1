/** The read-only side of an observable value. */
export interface ReadonlyCell<T> {
  readonly value: T;
  /** Calls the listener now and after every change, until the signal fires. */
  watch(listener: (value: T) => void, signal?: AbortSignal): void;
  /** Does the same, but without the immediate call. */
  onChange(listener: (value: T) => void, signal?: AbortSignal): void;
}

/** An observable value that only its owner sets. A part of the page listens only to the cells that it shows. */
export class Cell<T> implements ReadonlyCell<T> {
  #value: T;
  // Replaced, never changed: listeners that join or leave during a notification take effect with the next one.
  #listeners: readonly ((value: T) => void)[] = [];

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
  }

  watch(listener: (value: T) => void, signal?: AbortSignal): void {
    if (signal?.aborted) return;
    this.onChange(listener, signal);
    listener(this.#value);
  }

  onChange(listener: (value: T) => void, signal?: AbortSignal): void {
    if (signal?.aborted) return;
    const own = (value: T) => listener(value);
    this.#listeners = [...this.#listeners, own];
    signal?.addEventListener("abort", () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    });
  }
}
