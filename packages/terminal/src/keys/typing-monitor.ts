/** A question that appears within this time of a key press does not take the keyboard. */
export const QUIET_MS = 1_000;

/** Tracks whether the user is typing. The clock is monotonic, so a change of the system time has no effect. */
export class TypingMonitor {
  readonly #now: () => number;
  #pressedAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    // The enter that started the program counts, because keys typed right after it may not have been read yet.
    this.#pressedAt = now();
  }

  /** Records a key press, including keys that went to another program on this terminal. */
  pressed(): void {
    this.#pressedAt = this.#now();
  }

  get isQuiet(): boolean {
    return this.#now() - this.#pressedAt >= QUIET_MS;
  }
}
