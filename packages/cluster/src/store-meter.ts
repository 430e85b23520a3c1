import type { StoreFigures } from "@pintle/gateway/cluster";
import type { Database } from "./database/database.ts";

/** A scrape waits this long for the database at most. */
const DEADLINE_MS = 2_000;
/** How long answers are cached: probes need no token and must not become a load. */
const KEPT_MS = 1_000;

/** Counts this node's use of the store, and queries the store for the rest. */
export class StoreMeter {
  readonly #database: Database;
  #takeovers = 0;
  #commits = 0;
  #commitSeconds = 0;
  #readiness: { at: number; answer: Promise<boolean> } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  tookOver(): void {
    this.#takeovers += 1;
  }

  committed(ms: number): void {
    this.#commits += 1;
    this.#commitSeconds += ms / 1_000;
  }

  /** Returns whether the database answers and accepts writes. Never rejects. */
  isReady(now = performance.now()): Promise<boolean> {
    if (!this.#readiness || now - this.#readiness.at > KEPT_MS) this.#readiness = { at: now, answer: this.#ask() };
    return this.#readiness.answer;
  }

  /** Never rejects. */
  async figures(): Promise<StoreFigures> {
    const own = { takeovers: this.#takeovers, commits: this.#commits, commitSeconds: this.#commitSeconds };
    try {
      const [row] = await this.#database.query<{ queued: number; running: number; dead: number; wait: number }>(
        `SELECT (SELECT count(*)::int FROM pintle.jobs WHERE status = 'queued') AS queued,
           (SELECT count(*)::int FROM pintle.jobs WHERE status = 'running') AS running,
           (SELECT count(*)::int FROM pintle.jobs WHERE status = 'dead') AS dead,
           coalesce(extract(epoch FROM clock_timestamp() - (
             SELECT submitted_at FROM pintle.jobs WHERE status = 'queued' ORDER BY submitted_at, job_id LIMIT 1)), 0)::float8 AS wait`,
        [],
        DEADLINE_MS,
      );
      if (!row) return own;
      const { wait, ...jobs } = row;
      return { ...own, jobs, oldestWaitSeconds: wait };
    } catch {
      return own;
    }
  }

  async #ask(): Promise<boolean> {
    try {
      const [row] = await this.#database.query<{ state: string }>(
        "SELECT current_setting('transaction_read_only') AS state",
        [],
        DEADLINE_MS,
      );
      return row?.state === "off";
    } catch {
      return false;
    }
  }
}
