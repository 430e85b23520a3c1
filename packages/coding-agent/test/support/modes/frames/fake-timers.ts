import type { Timers } from "../../../../../foundation/src/async/timers.ts";

/** A clock that advances only on request. */
export class FakeTimers implements Timers {
  #now = 0;
  #held: (() => void)[] | undefined;
  #timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  start(run: () => void, ms: number): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Each call is a turn of the event loop, unless a test holds it open. */
  soon = (run: () => void): void => {
    if (this.#held) this.#held.push(run);
    else run();
  };

  /** From now on everything belongs to one turn; returns a function that ends it. */
  holdTurn(): () => void {
    const held: (() => void)[] = [];
    this.#held = held;
    return () => {
      this.#held = undefined;
      for (const run of held) run();
    };
  }

  get pendingCount(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#timers.delete(next);
      next.run();
    }
    this.#now = end;
  }

  #nextUntil(end: number) {
    return [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
  }
}

/** Lets everything run that is ready. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
