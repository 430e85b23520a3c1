/** Longer than this a flood of bytes must not keep the event loop from everything else: a host that says abort, timers. */
const MAX_TURN_MS = 8;

/** Node and Bun have it, browsers do not. */
const { setImmediate: soon = (run: () => void) => void setTimeout(run, 0) } = globalThis as {
  setImmediate?: (run: () => void) => void;
};

/** Lets others have their turn from time to time. Bytes that are there already would otherwise be read on and on. */
export class FairTurn {
  #since = performance.now();

  /** undefined: it is not time yet. */
  pass(): Promise<void> | undefined {
    if (performance.now() - this.#since < MAX_TURN_MS) return undefined;
    return new Promise<void>((resolve) => soon(resolve)).then(() => {
      this.#since = performance.now();
    });
  }
}
