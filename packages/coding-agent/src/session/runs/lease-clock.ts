/** A timer that fires so late was held up with the whole process: a confirmation may wait unread. */
const LATE_MS = 1_000;
/** How long such a confirmation may take to be read. */
const GRACE_MS = 250;

/**
 * Ends the work of a process that was not confirmed in time, by the clock of that process: its gateway may stand still, or
 * may have lost the store that decides who has the session.
 */
export class LeaseClock {
  readonly #onExpired: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onExpired: () => void) {
    this.#onExpired = onExpired;
  }

  confirm(ms: number): void {
    clearTimeout(this.#timer);
    const due = performance.now() + ms;
    this.#timer = setTimeout(() => {
      if (performance.now() - due > LATE_MS) this.confirm(GRACE_MS);
      else this.#onExpired();
    }, ms);
    this.#timer.unref();
  }
}
