/**
 * A timer that fires this late was delayed together with the whole process, so an unread confirmation may have arrived.
 */
const LATE_MS = 1_000;
/** How long to wait for an unread confirmation. */
const GRACE_MS = 250;

/**
 * Ends the work of this process if its lease is not confirmed in time, measured with its own clock: the gateway may hang, or may
 * have lost the store that decides who owns the session.
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
