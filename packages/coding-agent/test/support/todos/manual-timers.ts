import type { Timers } from "../../../../foundation/src/async/timers.ts";

/** A clock that advances only when a test says so. */
export class ManualTimers implements Pick<Timers, "now" | "start"> {
  #now = 0;
  #waiting: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  start(callback: () => void, ms: number): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#waiting.push(timer);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== timer);
    };
  }

  pass(seconds: number): void {
    const end = this.#now + seconds * 1000;
    for (;;) {
      const next = this.#waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }

  get count(): number {
    return this.#waiting.length;
  }
}
