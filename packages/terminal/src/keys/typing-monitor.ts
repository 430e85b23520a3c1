/** A question that appears so soon after a key press does not take the keyboard. */
export const QUIET_MS = 1_000;

/** Knows whether the user is in the middle of typing. The clock is monotonic: a changed system time does not end the wait. */
export class TypingMonitor {
  readonly #now: () => number;
  #pressedAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    // The Enter that started the program was a key press too, and keys typed right after it may be lost before they are read.
    this.#pressedAt = now();
  }

  /** Also for keys that went to another program on this terminal. */
  pressed(): void {
    this.#pressedAt = this.#now();
  }

  get isQuiet(): boolean {
    return this.#now() - this.#pressedAt >= QUIET_MS;
  }
}
