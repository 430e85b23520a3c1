/** Inputs join a queue in the order in which they were accepted, although some of them have to be looked up first. */
export class InputOrder {
  #last: Promise<unknown> | undefined;

  /** Does the work when all earlier work is done; at once when none is under way. */
  add<T>(work: () => T | Promise<T>): T | Promise<T> {
    const result = this.#last ? this.#last.then(work) : work();
    if (!(result instanceof Promise)) return result;
    const last: Promise<unknown> = result
      .catch(() => {}) // who added it is told
      .finally(() => {
        if (this.#last === last) this.#last = undefined;
      });
    this.#last = last;
    return result;
  }

  /** Resolves when nothing is under way that was added so far. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
