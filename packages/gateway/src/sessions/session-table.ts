import { firstSpec, nextSpec, type StartPlan } from "../workers/start-plan.ts";
import type { WorkerPool } from "../workers/worker-pool.ts";
import type { WorkerProcess } from "../workers/worker-process.ts";
import type { WorkerSpec } from "../workers/worker-spec.ts";
import type { RingLimits } from "./frame-ring.ts";
import { LiveSession } from "./live-session.ts";
import type { SessionStore } from "./session-store.ts";

export interface SessionTableOptions {
  epoch: string;
  ring: RingLimits;
  idleMs: number;
  store: SessionStore | undefined;
  pool: WorkerPool;
}

/** What the gateway knows of an open session besides its frames. */
export interface OpenSession {
  live: LiveSession;
  plan: StartPlan;
  file: string | undefined;
  openedAt: string;
}

/** The open sessions: one worker each at most, whoever opens them. */
export class SessionTable {
  readonly #options: SessionTableOptions;
  readonly #open = new Map<string, OpenSession>();
  readonly #opening = new Map<string, Promise<OpenSession>>();
  /** Numbers are not used twice within an epoch, so those of closed sessions are remembered. */
  readonly #lastSeq = new Map<string, number>();

  constructor(options: SessionTableOptions) {
    this.#options = options;
  }

  get(sessionId: string): OpenSession | undefined {
    return this.#open.get(sessionId);
  }

  all(): OpenSession[] {
    return [...this.#open.values()];
  }

  /** By the file of a stored session: two hosts that open it at the same moment share what comes of it. */
  openStored(sessionId: string, plan: StartPlan): Promise<OpenSession> {
    const open = this.#open.get(sessionId);
    if (open) return Promise.resolve(open);
    const opening = this.#opening.get(sessionId) ?? this.#start(plan, (spec) => this.#options.pool.start(spec));
    this.#opening.set(sessionId, opening);
    const forget = () => void this.#opening.delete(sessionId);
    opening.then(forget, forget);
    return opening;
  }

  openNew(plan: StartPlan): Promise<OpenSession> {
    return this.#start(plan, (spec) => this.#options.pool.startNew(spec));
  }

  async close(sessionId: string): Promise<void> {
    const open = this.#open.get(sessionId);
    if (!open) return;
    await open.live.close();
    this.#lastSeq.set(sessionId, open.live.log.seq);
    this.#open.delete(sessionId);
  }

  /** Ends the worker of a session that does nothing; one without hosts first. False when there is none. */
  async evict(): Promise<boolean> {
    const idle = this.all().filter(({ live, plan }) => live.worker.process && !live.isBusy && !plan.isEphemeral);
    const victim = idle.find(({ live }) => live.hosts.size === 0) ?? idle[0];
    await victim?.live.hibernate();
    return victim !== undefined;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.all().map(({ live }) => live.settled()));
  }

  async #start(plan: StartPlan, start: (spec: WorkerSpec) => Promise<WorkerProcess>): Promise<OpenSession> {
    const process = await start(firstSpec(plan));
    const { sessionId, sessionFile } = await process.ready;
    const { pool, ...options } = this.#options;
    const live = new LiveSession({
      ...options,
      idleMs: plan.isEphemeral ? Number.POSITIVE_INFINITY : options.idleMs,
      sessionId,
      isStored: plan.isStored,
      firstSeq: this.#lastSeq.get(sessionId) ?? 0,
      commands: plan.commands,
      process,
      start: async () => pool.start(nextSpec(plan, resumed)),
      onMoved(id, file) {
        resumed = { id, file };
        open.file = file;
      },
    });
    let resumed = { id: sessionId, file: sessionFile };
    const open: OpenSession = { live, plan, file: sessionFile, openedAt: new Date().toISOString() };
    this.#open.set(sessionId, open);
    return open;
  }
}
