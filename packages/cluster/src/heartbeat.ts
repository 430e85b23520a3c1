import { errorText } from "@pintle/ai";
import type { NodeWork } from "@pintle/gateway/cluster";
import type { Database } from "./database/database.ts";
import { makePartitions } from "./database/migrate.ts";
import type { Leases } from "./leases.ts";
import type { ClusterNodes } from "./nodes.ts";

/** What a heartbeat needs to know about its node. */
export type BeatingNode = Pick<NodeWork, "sessions" | "workers" | "isDraining" | "lost" | "resume" | "log">;

export interface HeartbeatParts {
  database: Database;
  nodes: ClusterNodes;
  leases: Leases;
  heartbeatMs: number;
  /** Whether this node resumes the runs of lost nodes. */
  onTakeover: "report" | "continue";
}

const TIDY_EVERY_MS = 12 * 60 * 60 * 1_000;

/** Extends the leases of this node, and detects which ones it lost while it was unavailable. */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #work: BeatingNode;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;
  #isFailing = false;
  /** Additional work of each round; one round at a time. */
  #upkeep: Promise<void> | undefined;
  #tidiedAt = performance.now();
  /** Sessions that could not be continued here. */
  readonly #givenUp = new GivenUp();

  constructor(parts: HeartbeatParts, work: BeatingNode) {
    this.#parts = parts;
    this.#work = work;
    this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#beat(), this.#parts.heartbeatMs); // never rejects
    this.#timer.unref();
  }

  async #beat(): Promise<void> {
    const { log } = this.#work;
    try {
      await this.#extend();
      if (this.#isFailing) log("the database answers again");
      this.#isFailing = false;
      // Not awaited, because opening a session may take as long as a lease, and the other leases must be extended meanwhile.
      this.#upkeep ??= this.#keepUp();
    } catch (error) {
      if (!this.#isFailing) log(`heartbeat: ${errorText(error)}`);
      this.#isFailing = true;
    }
    this.#wait();
  }

  /** Never rejects. */
  async #keepUp(): Promise<void> {
    try {
      await this.#resumeAbandoned();
      await this.#tidy();
    } catch (error) {
      this.#work.log(`heartbeat: ${errorText(error)}`);
    } finally {
      this.#upkeep = undefined;
    }
  }

  async #extend(): Promise<void> {
    const { nodes, leases } = this.#parts;
    const work = this.#work;
    const held = work.sessions();
    const sentAt = performance.now();
    const kept = await leases.extend(held.map(({ sessionId, fence, status }) => ({ sessionId, fence, status })));
    for (const { sessionId, extended } of held) {
      if (kept.has(sessionId)) {
        extended(sentAt);
        continue;
      }
      const owner = await leases.find(sessionId);
      work.lost(sessionId, owner?.name ?? undefined);
    }
    await nodes.beat({ workers: work.workers(), isDraining: work.isDraining() });
  }

  async #resumeAbandoned(): Promise<void> {
    const { resume, log, isDraining } = this.#work;
    const { leases, nodes, onTakeover } = this.#parts;
    if (onTakeover !== "continue" || isDraining()) return;
    for (const sessionId of await leases.abandoned(nodes.self.labels, this.#givenUp.sessions())) {
      if (this.#isStopped || isDraining()) return;
      await resume(sessionId).catch((error: unknown) => {
        this.#givenUp.add(sessionId);
        log(`the session ${sessionId} is not continued here: ${errorText(error)}`);
      });
    }
  }

  async #tidy(): Promise<void> {
    if (performance.now() - this.#tidiedAt < TIDY_EVERY_MS) return;
    this.#tidiedAt = performance.now();
    await makePartitions(this.#parts.database);
    await tidy(this.#parts.database);
  }
}

/**
 * Deletes rows that nothing needs: nodes that are long gone, and keys that no host repeats. An index on a time is used only if
 * the time is constant within the statement.
 */
const OLD = [
  "DELETE FROM pintle.nodes WHERE expires_at < statement_timestamp() - interval '1 day'",
  "DELETE FROM pintle.commands WHERE ended_at < statement_timestamp() - interval '7 days'",
];

/** Rejects with StoreError. */
export async function tidy(database: Database): Promise<void> {
  for (const statement of OLD) await database.query(statement);
}

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
