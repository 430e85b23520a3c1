/** A flood of bytes must not block the event loop for longer than this: hosts send aborts, and timers are due. */
const MAX_TURN_MS = 8;

/** Available in Node and Bun, not in browsers. */
const { setImmediate: soon = (run: () => void) => void setTimeout(run, 0) } = globalThis as {
  setImmediate?: (run: () => void) => void;
};

/** Yields to the event loop from time to time. Otherwise available bytes would be read without a pause. */
export class FairTurn {
  #since = performance.now();

  /** Returns undefined if it is not time yet. */
  pass(): Promise<void> | undefined {
    if (performance.now() - this.#since < MAX_TURN_MS) return undefined;
    return new Promise<void>((resolve) => soon(resolve)).then(() => {
      this.#since = performance.now();
    });
  }
}
