import type { Clock } from "@pintle/agent";

/** Calls back once when nothing has happened for a while. */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #onIdle: () => Promise<void>;
  #timer: AbortController | undefined;

  constructor(clock: Clock, onIdle: () => Promise<void>) {
    this.#clock = clock;
    this.#onIdle = onIdle;
  }

  /** Starts the timer, or restarts it if it is running. */
  start(ms: number): void {
    this.stop();
    const timer = new AbortController();
    this.#timer = timer;
    // The delay does not reject, and the callee reports its failure as an event.
    void this.#clock.delay(ms, timer.signal).then(() => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      return this.#onIdle();
    });
  }

  stop(): void {
    this.#timer?.abort();
    this.#timer = undefined;
  }
}
