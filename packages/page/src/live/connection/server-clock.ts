/** Smaller differences come from network latency and from servers that report whole seconds. */
const TOLERANCE_MS = 3_000;

/** The server's time of day. Deadlines use it, and the clock of a phone may be minutes off. */
export class ServerClock {
  #aheadMs = 0;

  /** `date` is the header of a response that has just arrived. */
  set(date: string | null, now: number = Date.now()): void {
    const serverTime = Date.parse(date ?? "");
    if (Number.isNaN(serverTime)) return;
    this.#aheadMs = Math.abs(serverTime - now) < TOLERANCE_MS ? 0 : serverTime - now;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }
}
