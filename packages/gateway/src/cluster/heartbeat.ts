import { errorText } from "@pintle/ai";
import type { Database } from "./database/database.ts";
import { makePartitions } from "./database/migrate.ts";
import { tidy } from "./database/tidy.ts";
import type { Lease, Leases } from "./leases.ts";
import type { ClusterNodes } from "./nodes.ts";

/** What this node does, as its heartbeat sees it. */
export interface NodeWork {
  sessions(): (Lease & { status: string })[];
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
  /** Cannot be continued here. */
  readonly #givenUp = new Set<string>();

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
    const kept = await leases.extend(held);
    for (const { sessionId } of held) {
      if (kept.has(sessionId)) continue;
      const owner = await leases.find(sessionId);
      work.lost(sessionId, owner?.name ?? undefined);
    }
    await nodes.beat({ workers: work.workers(), isDraining: work.isDraining() });
  }

  async #resumeAbandoned(): Promise<void> {
    const { resume, log, isDraining } = this.#work;
    if (!resume || isDraining()) return;
    for (const sessionId of await this.#parts.leases.abandoned(this.#parts.nodes.self.labels)) {
      if (this.#givenUp.has(sessionId)) continue;
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
