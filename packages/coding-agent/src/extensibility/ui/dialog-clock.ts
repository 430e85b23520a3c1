/**
 * Limits the time of an extension's handlers, excluding the time they wait for the user, which has its own limits. All handlers
 * of one extension share the clock, because it is unknown which of them opened the dialog.
 */
export class DialogClock {
  #open = 0;
  #openedAt = 0;
  #waitedMs = 0;
  #closed: PromiseWithResolvers<void> = Promise.withResolvers();

  /** Runs a dialog and excludes its duration. */
  async ask<T>(dialog: () => Promise<T>): Promise<T> {
    if (this.#open === 0) {
      this.#openedAt = performance.now();
      this.#closed = Promise.withResolvers();
    }
    this.#open += 1;
    try {
      return await dialog();
    } finally {
      this.#open -= 1;
      if (this.#open === 0) {
        this.#waitedMs += performance.now() - this.#openedAt;
        this.#closed.resolve();
      }
    }
  }

  /** Rejects when the work has used up its time. The work itself cannot be stopped. */
  async within<T>(work: PromiseLike<T>, ms: number): Promise<T> {
    const { promise: tooLong, reject } = Promise.withResolvers<never>();
    const endsAfter = performance.now() - this.waitedMs + ms;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const check = () => {
      if (isOver) return;
      const leftMs = endsAfter - (performance.now() - this.waitedMs);
      // Timers may fire slightly early.
      if (this.#open > 0) void this.#closed.promise.then(check);
      else if (leftMs > 0.5) timer = setTimeout(check, leftMs);
      else reject(new Error(`no answer within ${Math.round(ms) / 1000} s`));
    };
    timer = setTimeout(check, ms);
    try {
      return await Promise.race([work, tooLong]);
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }

  /** The time spent in dialogs so far. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#open > 0 ? performance.now() - this.#openedAt : 0);
  }
}
