import { SerialWork } from "@pintle/ai";

/** Queues inputs in the order in which they were accepted, although some need a lookup first. */
export class InputOrder {
  readonly #inputs = new SerialWork();

  /** Runs the work after all earlier work; immediately if none is in progress. */
  add<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (!this.#inputs.isIdle) return this.#inputs.run(work);
    const result = work();
    return result instanceof Promise ? this.#inputs.run(() => result) : result;
  }

  /** Resolves when all work added so far is done. */
  settled(): Promise<void> {
    return this.#inputs.settled();
  }
}
