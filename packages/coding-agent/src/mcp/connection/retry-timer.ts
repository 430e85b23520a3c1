import { backgroundTimers, type Timers } from "@pintle/foundation";

/** About two minutes in total. After that, only a new reason triggers a retry. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000];

/** Schedules automatic retries with growing delays, a limited number of times. */
export class RetryTimer {
  readonly #run: () => void;
  readonly #timers: Pick<Timers, "start">;
  #failures = 0;
  #cancel = () => {};
  #isClosed = false;

  constructor(run: () => void, timers: Pick<Timers, "start"> = backgroundTimers) {
    this.#run = run;
    this.#timers = timers;
  }

  failed(): void {
    this.#cancel();
    const pause = PAUSES_MS[this.#failures];
    this.#failures += 1;
    if (pause !== undefined && !this.#isClosed) this.#cancel = this.#timers.start(this.#run, pause);
  }

  succeeded(): void {
    this.#cancel();
    this.#failures = 0;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }
}
