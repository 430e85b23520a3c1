import type { Clock } from "./types.ts";

/** Measures how long a tool runs, without the time in which the call waits for a person's decision. */
export class CallTimer {
  readonly #clock: Pick<Clock, "now">;
  #workedMs = 0;
  /** When the tool started or resumed; undefined before the start, while it waits and after the end. */
  #since: number | undefined;
  #waits = 0;
  #isOn = false;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** 0 for a tool that never ran. */
  get workedMs(): number {
    this.#add();
    return Math.round(this.#workedMs);
  }

  start(): void {
    this.#isOn = true;
    this.#since = this.#clock.now();
  }

  stop(): void {
    this.#add();
    this.#isOn = false;
    this.#since = undefined;
  }

  /** Pauses for a decision; several waits at the same time are one pause. */
  async exclude<T>(decision: Promise<T>): Promise<T> {
    this.#add();
    this.#since = undefined;
    this.#waits += 1;
    try {
      return await decision;
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0 && this.#isOn) this.#since = this.#clock.now();
    }
  }

  /** A clock that was set back adds nothing. */
  #add(): void {
    if (this.#since === undefined) return;
    const now = this.#clock.now();
    this.#workedMs += Math.max(0, now - this.#since);
    this.#since = now;
  }
}
