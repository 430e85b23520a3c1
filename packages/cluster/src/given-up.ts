/** A session that could not be opened is tried again after so long: its directory may be back, or a worker free. */
const AGAIN_MS = 60_000;
/** So many are left out of a look at the database. */
const MAX_SESSIONS = 1_000;

/** Sessions that this node could not continue, for a while. */
export class GivenUp {
  /** Until when, the oldest first. */
  readonly #until = new Map<string, number>();

  add(sessionId: string, now = performance.now()): void {
    this.#until.delete(sessionId);
    this.#until.set(sessionId, now + AGAIN_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MAX_SESSIONS && oldest !== undefined) this.#until.delete(oldest);
  }

  sessions(now = performance.now()): string[] {
    for (const [sessionId, until] of this.#until) if (until <= now) this.#until.delete(sessionId);
    return [...this.#until.keys()];
  }
}
