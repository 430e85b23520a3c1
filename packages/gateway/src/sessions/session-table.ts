import { SerialWork } from "@pintle/ai";
import { CommandError, NoRoom } from "../frames/command-error.ts";
import { firstSpec, nameIn, nextSpec, renamed, type StartPlan } from "../workers/start-plan.ts";
import type { WorkerPool } from "../workers/worker-pool.ts";
import type { WorkerProcess } from "../workers/worker-process.ts";
import type { WorkerSpec } from "../workers/worker-spec.ts";
import { promptHold } from "./accepted/prompt-hold.ts";
import type { CommandTraces } from "./command-traces.ts";
import type { RingLimits } from "./frame-ring.ts";
import { LiveSession } from "./live-session.ts";
import type { NewSession, OpenLog, SessionLogs } from "./open-log.ts";

export interface SessionTableOptions {
  epoch: string;
  ring: RingLimits;
  idleMs: number;
  hostToolGraceMs?: number | undefined;
  traces?: CommandTraces | undefined;
  logs: SessionLogs;
  pool: WorkerPool;
  /** Prints a line for the user who started the server. */
  reportFault(text: string): void;
  /** Whether another node could serve a session with these labels. Never rejects. */
  hasOtherNode(needs: readonly string[]): Promise<boolean>;
  /** Called when a session was closed without a host's command. */
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

/** The open sessions, with at most one worker each. */
export class SessionTable {
  readonly #options: SessionTableOptions;
  readonly #open = new Map<string, OpenSession>();
  readonly #opening = new Map<string, Promise<OpenSession>>();
  /** The last frame numbers of closed sessions, because a number must not be used twice within an epoch. */
  readonly #lastSeq = new Map<string, number>();
  readonly #renaming = new SerialWork();

  constructor(options: SessionTableOptions) {
    this.#options = options;
  }

  get(sessionId: string): OpenSession | undefined {
    return this.#open.get(sessionId);
  }

  all(): OpenSession[] {
    return [...this.#open.values()];
  }

  /** Opens a stored session. Hosts that open the same session at the same time share the result. */
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

  /**
   * Closes all sessions, because this server ends. Sessions that other nodes can open continue there, with their runs if a takeover
   * allows it.
   */
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

  /** Closes a session that another node has taken, and detaches its hosts. */
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

  /** Ends the worker of an idle session, preferably one without hosts. Resolves with false if there is none. */
  async evict(): Promise<boolean> {
    const isIdle = (live: LiveSession) => live.worker.process && !live.isBusy && !live.hasJobs;
    const idle = this.all().filter(({ live, plan }) => isIdle(live) && !plan.isEphemeral);
    const victim = idle.find(({ live }) => live.hosts.size === 0) ?? idle[0];
    await victim?.live.hibernate();
    return victim !== undefined;
  }

  /** Renames a session without starting a worker for it: a helper does so, one session at a time. Resolves with the response. */
  rename({ live }: OpenSession, name: string): Promise<string> {
    const ask = () => live.commands.requestAlways({ type: "set_session_name", name });
    return live.worker.process ? ask() : this.#renaming.run(ask);
  }

  /** Resolves when nothing is in progress, jobs in the background included. */
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
      name: nameIn(plan),
      firstSeq: this.#lastSeq.get(sessionId) ?? 0,
      commands: plan.commands,
      process,
      log,
      openHold: sessionFile === undefined || plan.isEphemeral ? undefined : promptHold(sessionFile, reportFault),
      startHelper: async () => pool.startHelper(await nextStart()),
      start: async () => {
        try {
          return await pool.start(await nextStart());
        } catch (error) {
          throw error instanceof NoRoom && log ? await this.#orPassOn(sessionId, plan, error) : error;
        }
      },
      onLost: () => void this.lose(sessionId), // does not reject
      onMoved(id, file) {
        resumed = { id, file };
        open.file = file;
      },
    });
    let resumed = { id: sessionId, file: sessionFile };
    const nextStart = async () => {
      if (log) resumed.file = await log.ensureFile(resumed.file);
      const { name } = open.live.listed;
      return nextSpec(name === undefined ? plan : renamed(plan, name), resumed);
    };
    const open: OpenSession = { live, plan, file: sessionFile, openedAt: new Date().toISOString(), log };
    this.#open.set(sessionId, open);
    log?.opened(live);
    return open;
  }

  /** Returns the error for waiting commands: the session moves if another node may have a worker for it. */
  async #orPassOn(sessionId: string, { needs }: StartPlan, error: NoRoom): Promise<CommandError> {
    if (!(await this.#options.hasOtherNode(needs))) return error;
    void this.handOver(sessionId).then(() => this.#options.onClosed(sessionId)); // does not reject
    return new CommandError("session_moved", "This node has no free worker for the session. Open it again");
  }

  /** Starts the log of a new session. Ends the engine if that fails. */
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
