import type { Component } from "@earendil-works/pi-tui";

export interface ShowOptions {
  /** Takes the component away: no answer is wanted any more. */
  signal?: AbortSignal;
}

interface Shown {
  component: Component;
  close(): void;
}

/**
 * The place above the status line where a question, a picker or a dialog stands instead of the editor. One at a time, in the
 * order in which they were asked; while one is shown all keys go to it.
 */
export class QuestionSlot {
  #queue: readonly Shown[] = [];
  readonly #onChange: (component: Component | undefined) => void;

  /** `onChange` gets what has the keys now; undefined: nothing, they are the editor's. */
  constructor(onChange: (component: Component | undefined) => void) {
    this.#onChange = onChange;
  }

  get current(): Component | undefined {
    return this.#queue[0]?.component;
  }

  /** Resolves with what `make` hands to `done`, or with undefined when the signal has fired first. */
  show<T>(
    make: (done: (value: T | undefined) => void) => Component,
    { signal }: ShowOptions = {},
  ): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return resolve(undefined);
      const done = (value: T | undefined) => {
        signal?.removeEventListener("abort", onAbort);
        this.#remove(shown);
        resolve(value);
      };
      const onAbort = () => done(undefined);
      let shown: Shown;
      try {
        shown = { component: make(done), close: onAbort };
      } catch (error) {
        return reject(error);
      }
      signal?.addEventListener("abort", onAbort);
      this.#queue = [...this.#queue, shown];
      if (this.#queue.length === 1) this.#onChange(shown.component);
    });
  }

  /** Nothing that is shown or waits gets an answer. */
  closeAll(): void {
    for (const shown of this.#queue) shown.close();
  }

  render(width: number): string[] {
    return this.current?.render(width) ?? [];
  }

  #remove(shown: Shown): void {
    const wasCurrent = this.#queue[0] === shown;
    this.#queue = this.#queue.filter((other) => other !== shown);
    if (wasCurrent) this.#onChange(this.current);
  }
}
