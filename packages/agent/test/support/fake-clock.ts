import type { Clock } from "../../src/types.ts";

interface Sleeper {
  until: number;
  wake: () => void;
}

/**
 * Time that advances only when a test says so. Every reading is one millisecond later, as message timestamps require.
 */
export class FakeClock implements Clock {
  #time = 1_000;
  #injected = 0;
  #sleepers: Sleeper[] = [];

  now(): number {
    this.#time += 1;
    return this.#time;
  }

  delay(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        until: this.#injected + ms,
        wake: () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          signal?.removeEventListener("abort", sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", sleeper.wake);
    });
  }

  advance(ms: number): void {
    this.#injected += ms;
    this.#time += ms;
    for (const sleeper of this.#sleepers.filter(({ until }) => until <= this.#injected)) sleeper.wake();
  }

  get sleeperCount(): number {
    return this.#sleepers.length;
  }
}
