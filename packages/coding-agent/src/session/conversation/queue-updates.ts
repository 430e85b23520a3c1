import { backgroundTimers, type Timers } from "@pintle/foundation";

const PER_SECOND = 10;
const WINDOW_MS = 1000;

/**
 * Emits changes of the queues, at most ten per second. Changes in quick succession are combined into the next update.
 */
export class QueueUpdates {
  readonly #emit: () => void;
  readonly #timers: Timers;
  /** The times of the most recent updates. */
  readonly #sent: number[] = [];
  #isWaiting = false;

  constructor(emit: () => void, timers: Timers = backgroundTimers) {
    this.#emit = emit;
    this.#timers = timers;
  }

  changed(): void {
    if (this.#isWaiting) return;
    const waitMs = this.#waitMs();
    if (waitMs <= 0) this.#send();
    else {
      this.#isWaiting = true;
      this.#timers.start(() => this.#send(), waitMs);
    }
  }

  #waitMs(): number {
    const [oldest] = this.#sent;
    return this.#sent.length < PER_SECOND || oldest === undefined ? 0 : oldest + WINDOW_MS - this.#timers.now();
  }

  #send(): void {
    this.#isWaiting = false;
    this.#sent.push(this.#timers.now());
    if (this.#sent.length > PER_SECOND) this.#sent.shift();
    this.#emit();
  }
}
