/** How long to wait before retrying a session that could not be opened: its directory may be back, or a worker free. */
const AGAIN_MS = 60_000;
/** Maximum number of sessions that one query excludes. */
const MAX_SESSIONS = 1_000;

/** Remembers for a while which sessions this node could not continue. */
export class GivenUp {
  /** The time of each session's retry, the earliest first. */
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
