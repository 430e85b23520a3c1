/**
 * Tools have five seconds to end after their run is aborted, so the engine stops this long before the lease ends, if the lease
 * is long enough.
 */
const STOP_MS = 5_000;

/**
 * How long this node may work on a session, by its own clock. Measured from when the statement that extends the lease is sent,
 * which is before the database's clock starts.
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

  /** Milliseconds for which engines may work; 0 or less if they may not. */
  remaining(now = performance.now()): number {
    const usable = this.#leaseMs - Math.min(STOP_MS, this.#leaseMs / 3);
    return Math.floor(this.#confirmedAt + usable - now);
  }
}
