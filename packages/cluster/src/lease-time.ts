/** Tools have five seconds to end when their run is aborted: the engine stops so long before the lease ends, if it is long enough. */
const STOP_MS = 5_000;

/**
 * How long this node may still work on a session, by its own clock. The time starts when a statement that extends the
 * lease is sent; the database starts later.
 */
export class LeaseTime {
  readonly #leaseMs: number;
  #confirmedAt: number;

  constructor(leaseMs: number, takenAt: number) {
    this.#leaseMs = leaseMs;
    this.#confirmedAt = takenAt;
  }

  extended(sentAt: number): void {
    this.#confirmedAt = Math.max(this.#confirmedAt, sentAt);
  }

  /** Milliseconds in which engines may work; 0 or less when they must not. */
  remaining(now = performance.now()): number {
    const usable = this.#leaseMs - Math.min(STOP_MS, this.#leaseMs / 3);
    return Math.floor(this.#confirmedAt + usable - now);
  }
}
