/** Smaller differences come from network latency and from servers that report whole seconds. */
const TOLERANCE_MS = 3_000;

/** The server's time of day. Deadlines use it, and the clock of a phone may be minutes off. */
export class ServerClock {
  #aheadMs = 0;

  /** `date` is the header of a response that has just arrived. */
  set(date: string | null, now: number = Date.now()): void {
    const told = Date.parse(date ?? "");
    if (Number.isNaN(told)) return;
    this.#aheadMs = Math.abs(told - now) < TOLERANCE_MS ? 0 : told - now;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }
}
