import { CommandError, NoRoom } from "../frames/command-error.ts";
import { firstSpec, nextSpec, type StartPlan } from "../workers/start-plan.ts";
import type { WorkerPool } from "../workers/worker-pool.ts";
import type { WorkerProcess } from "../workers/worker-process.ts";
import type { WorkerSpec } from "../workers/worker-spec.ts";
import { fileGate } from "./accepted/file-gate.ts";
import type { CommandTraces } from "./command-traces.ts";
import type { RingLimits } from "./frame-ring.ts";
import { LiveSession } from "./live-session.ts";
import type { NewSession, OpenLog, SessionLogs } from "./open-log.ts";

export interface SessionTableOptions {
  epoch: string;
  ring: RingLimits;
  idleMs: number;
  traces?: CommandTraces | undefined;
  logs: SessionLogs;
  pool: WorkerPool;
  /** A line for the person who started the server. */
  reportFault(text: string): void;
  /** Whether another node could serve a session with these labels. Never rejects. */
  hasOtherNode(needs: readonly string[]): Promise<boolean>;
  /** It was not a host's wish. */
  onClosed(sessionId: string): void;
}

/** What the gateway knows of an open session besides its frames. */
export interface OpenSession {
  live: LiveSession;
  plan: StartPlan;
  file: string | undefined;
  openedAt: string;
  log: OpenLog | undefined;
}

/** A stored session that may be started. */
export interface StoredStart {
  plan: StartPlan;
  log: OpenLog | undefined;
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

  /** Two hosts that open it at the same moment share what comes of it. */
  openStored(sessionId: string, checkOut: () => Promise<StoredStart>): Promise<OpenSession> {
    const open = this.#open.get(sessionId);
    if (open) return Promise.resolve(open);
    const opening = this.#opening.get(sessionId) ?? this.#openCheckedOut(checkOut);
    this.#opening.set(sessionId, opening);
    const forget = () => void this.#opening.delete(sessionId);
    opening.then(forget, forget);
    return opening;
  }

  async openNew(plan: StartPlan): Promise<OpenSession> {
    this.#options.logs.checkNeeds(plan.needs);
    return this.#start(plan, undefined, (spec) => this.#options.pool.startNew(spec));
  }

  async close(sessionId: string): Promise<void> {
    await this.#close(sessionId, "session_closed");
  }

  /** This server ends. A session that other nodes can have continues there, with its run if that is what a takeover does. */
  async handOver(sessionId: string): Promise<void> {
    const open = this.#open.get(sessionId);
    if (open?.log?.continuesElsewhere && open.live.isRunning) await this.#leaveRun(open, open.log);
    else await this.#close(sessionId, open?.log ? "session_moved" : "session_closed");
  }

  async #leaveRun(open: OpenSession, log: OpenLog): Promise<void> {
    await open.live.leaveRun();
    await log.handOver();
    this.#forget(open);
    open.live.leave("session_moved");
  }

  async #close(sessionId: string, why: "session_closed" | "session_moved"): Promise<void> {
    const open = this.#open.get(sessionId);
    if (!open) return;
    await open.live.close();
    await open.log?.release();
    this.#forget(open);
    open.live.leave(why);
  }

  /** Another node has it: no connection is attached to it any more. */
  async lose(sessionId: string, node?: string): Promise<void> {
    const open = this.#open.get(sessionId);
    if (!open) return;
    this.#forget(open);
    open.log?.drop();
    await open.live.lose(node);
    this.#options.onClosed(sessionId);
  }

  #forget({ live }: OpenSession): void {
    this.#lastSeq.set(live.id, live.log.seq);
    this.#open.delete(live.id);
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

  async #openCheckedOut(checkOut: () => Promise<StoredStart>): Promise<OpenSession> {
    const { plan, log } = await checkOut();
    try {
      return await this.#start(plan, log, (spec) => this.#options.pool.start(spec));
    } catch (error) {
      await log?.release();
      throw error;
    }
  }

  async #start(
    plan: StartPlan,
    stored: OpenLog | undefined,
    start: (spec: WorkerSpec) => Promise<WorkerProcess>,
  ): Promise<OpenSession> {
    const process = await start(firstSpec(plan));
    const { sessionId, sessionFile } = await process.ready;
    const {
      pool,
      logs: _logs,
      onClosed: _onClosed,
      hasOtherNode: _hasOtherNode,
      reportFault,
      ...options
    } = this.#options;
    const log = stored ?? (await this.#begin(process, { sessionId, sessionFile, plan }));
    const live = new LiveSession({
      ...options,
      idleMs: plan.isEphemeral ? Number.POSITIVE_INFINITY : options.idleMs,
      sessionId,
      isStored: plan.isStored,
      firstSeq: this.#lastSeq.get(sessionId) ?? 0,
      commands: plan.commands,
      process,
      log,
      openGate: sessionFile === undefined || plan.isEphemeral ? undefined : fileGate(sessionFile, reportFault),
      start: async () => {
        if (log) resumed.file = await log.ensureFile(resumed.file);
        try {
          return await pool.start(nextSpec(plan, resumed));
        } catch (error) {
          throw error instanceof NoRoom && log ? await this.#orPassOn(sessionId, plan, error) : error;
        }
      },
      onLost: () => void this.lose(sessionId), // ends a process, which does not reject
      onMoved(id, file) {
        resumed = { id, file };
        open.file = file;
      },
    });
    let resumed = { id: sessionId, file: sessionFile };
    const open: OpenSession = { live, plan, file: sessionFile, openedAt: new Date().toISOString(), log };
    this.#open.set(sessionId, open);
    log?.opened(live);
    return open;
  }

  /** Returns the error for the commands that wait: the session moves if another node could have room for its worker. */
  async #orPassOn(sessionId: string, { needs }: StartPlan, error: NoRoom): Promise<CommandError> {
    if (!(await this.#options.hasOtherNode(needs))) return error;
    void this.handOver(sessionId).then(() => this.#options.onClosed(sessionId)); // ends no process, and does not reject
    return new CommandError("session_moved", "This node has no worker for the session: open it again");
  }

  /** A session that cannot be kept is not opened. */
  async #begin(process: WorkerProcess, made: NewSession): Promise<OpenLog | undefined> {
    if (made.plan.isEphemeral) return undefined;
    try {
      return await this.#options.logs.begin(made);
    } catch (error) {
      void process.end(); // does not reject
      throw error;
    }
  }
}
