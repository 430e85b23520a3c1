/** Less than this is the way of the answer, and the whole seconds in which a server tells the time. */
const TOLERANCE_MS = 3_000;

/** The time of day at the server. Deadlines are told in it, and the clock of a phone may be minutes away. */
export class ServerClock {
  #aheadMs = 0;

  /** `date`: as a header of an answer that was read just now says it. */
  set(date: string | null, now: number = Date.now()): void {
    const told = Date.parse(date ?? "");
    if (Number.isNaN(told)) return;
    this.#aheadMs = Math.abs(told - now) < TOLERANCE_MS ? 0 : told - now;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }
}
