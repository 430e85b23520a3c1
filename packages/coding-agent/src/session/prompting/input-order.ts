import { SerialWork } from "@pintle/ai";

/** Inputs join a queue in the order in which they were accepted, although some of them have to be looked up first. */
export class InputOrder {
  readonly #inputs = new SerialWork();

  /** Does the work when all earlier work is done; at once when none is under way. */
  add<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (!this.#inputs.isIdle) return this.#inputs.run(work);
    const result = work();
    return result instanceof Promise ? this.#inputs.run(() => result) : result;
  }

  /** Resolves when nothing is under way that was added so far. */
  settled(): Promise<void> {
    return this.#inputs.settled();
  }
}
