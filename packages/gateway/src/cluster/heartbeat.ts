import { errorText } from "@pintle/ai";
import type { Database } from "./database/database.ts";
import { makePartitions } from "./database/migrate.ts";
import { tidy } from "./database/tidy.ts";
import { GivenUp } from "./given-up.ts";
import type { Lease, Leases } from "./leases.ts";
import type { ClusterNodes } from "./nodes.ts";

/** A session that is open here. */
export interface HeldSession extends Lease {
  status: string;
  /** Its lease was extended by a statement that was sent then. */
  extended(sentAt: number): void;
}

/** What this node does, as its heartbeat sees it. */
export interface NodeWork {
  sessions(): HeldSession[];
  workers(): number;
  isDraining(): boolean;
  /** Another node has taken the session. */
  lost(sessionId: string, node: string | undefined): void;
  /** Opens a session that a node left in the middle of a run. Rejects when that cannot be done here. */
  resume?: ((sessionId: string) => Promise<void>) | undefined;
  log(text: string): void;
}

export interface HeartbeatParts {
  database: Database;
  nodes: ClusterNodes;
  leases: Leases;
  heartbeatMs: number;
}

const TIDY_EVERY_MS = 12 * 60 * 60 * 1_000;

/** Extends the leases of this node, and finds out which it has lost while it was away. */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #work: NodeWork;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;
  #isFailing = false;
  #tidiedAt = performance.now();
  /** Could not be continued here. */
  readonly #givenUp = new GivenUp();

  constructor(parts: HeartbeatParts, work: NodeWork) {
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
      await this.#resumeAbandoned();
      await this.#tidy();
    } catch (error) {
      if (!this.#isFailing) log(`heartbeat: ${errorText(error)}`);
      this.#isFailing = true;
    }
    this.#wait();
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
    if (!resume || isDraining()) return;
    const { leases, nodes } = this.#parts;
    for (const sessionId of await leases.abandoned(nodes.self.labels, this.#givenUp.sessions())) {
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
