import { onAbort } from "@pintle/ai";

/** Limits how many tasks run at the same time. Waiting tasks start in order of arrival. */
export class Places {
  readonly #limit: () => number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  /** `limit` is read at each use; 0 means no limit. */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Resolves with the function that frees the slot, or with undefined if the signal fires first. */
  async take(signal: AbortSignal): Promise<(() => void) | undefined> {
    while (!signal.aborted && !this.#isFree) {
      const turn = Promise.withResolvers<void>();
      const forget = onAbort(signal, turn.resolve);
      this.#waiting.push(turn.resolve);
      await turn.promise;
      forget();
      const index = this.#waiting.indexOf(turn.resolve);
      if (index !== -1) this.#waiting.splice(index, 1);
    }
    if (signal.aborted) {
      this.#wakeNext();
      return undefined;
    }
    this.#taken += 1;
    return () => {
      this.#taken -= 1;
      this.#wakeNext();
    };
  }

  get #isFree(): boolean {
    const limit = this.#limit();
    return limit <= 0 || this.#taken < limit;
  }

  #wakeNext(): void {
    this.#waiting.shift()?.();
  }
}
