import { delay } from "@pintle/ai";
import type { SessionCursor } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";
import type { LimitedSession } from "../workers/cpu-limit.ts";
import type { WorkerExit } from "../workers/worker-process.ts";
import { AttachedHosts } from "./attached-hosts.ts";
import { type FrameHold, passThrough } from "./frame-hold.ts";
import { FrameLog } from "./frame-log.ts";
import { FrameRouter } from "./frame-router.ts";
import { HostAttachments } from "./host-attachments.ts";
import { IdleWatch } from "./idle-watch.ts";
import { ListedFacts } from "./listed-facts.ts";
import type { LiveSessionOptions, LostRun } from "./live-session-options.ts";
import { QuestionDesk } from "./question-desk.ts";
import { SessionOutput } from "./session-output.ts";
import { SessionPicture } from "./session-picture.ts";
import { SessionWorker } from "./session-worker.ts";
import { Settling } from "./settling.ts";
import { UndeliveredEntries } from "./undelivered-entries.ts";
import { WorkerCommands } from "./worker-commands.ts";
import { introduction } from "./worker-introduction.ts";

/** How long a closed session waits for its last frames to be stored. */
const STORE_PATIENCE_MS = 5_000;

export type SessionStatus = "idle" | "running" | "waiting";

/**
 * An open session, from its first worker to its end. Its parts do the rest: `commands` sends to the worker, a router receives
 * its frames, `desk` owns questions and tools, and `attachments` manages the hosts.
 */
export class LiveSession implements LimitedSession {
  readonly id: string;
  readonly log: FrameLog;
  readonly hosts: AttachedHosts;
  readonly worker: SessionWorker;
  readonly commands: WorkerCommands;
  readonly desk: QuestionDesk;
  readonly attachments: HostAttachments;
  readonly listed: ListedFacts;
  readonly #options: LiveSessionOptions;
  readonly #output: SessionOutput;
  readonly #picture = new SessionPicture();
  readonly #settling = new Settling();
  readonly #undelivered: UndeliveredEntries;
  readonly #idle: IdleWatch;
  readonly #hold: FrameHold;
  #isStored: boolean;
  #lostRun: LostRun | undefined;
  /** Whether another node continues the run. */
  #isLeaving = false;
  /** The reason why the server ended the run or the engine. */
  #limit: string | undefined;

  constructor(options: LiveSessionOptions) {
    const { sessionId, log, traces } = options;
    this.id = sessionId;
    this.#isStored = options.isStored;
    this.#options = options;
    this.listed = new ListedFacts(options);
    this.log = new FrameLog(options);
    this.hosts = new AttachedHosts(this.log, this.#picture.message);
    this.#output = new SessionOutput(this.log, this.hosts);
    this.#undelivered = new UndeliveredEntries(this.log, options);
    this.#idle = new IdleWatch(this, options.idleMs);
    const onChanged = () => this.#idle.look();
    this.worker = this.#createWorker();
    this.#hold = (log?.openHold ?? options.openHold ?? passThrough)({
      pass: (line) => router.receive(line),
      emit: (type, fields) => this.#output.emitOwn(type, fields),
      abort: () => this.commands.abort(),
      moved: () => options.onLost?.(),
    });
    this.commands = new WorkerCommands({ sessionId, worker: this.worker, hold: this.#hold, log, traces, onChanged });
    this.desk = new QuestionDesk(this.#output, (fields) => this.commands.notify(fields));
    this.attachments = new HostAttachments({
      log: this.log,
      hosts: this.hosts,
      questions: this.desk.questions,
      tools: this.desk.tools,
      picture: this.#picture,
      commands: this.commands,
      toolGraceMs: options.hostToolGraceMs ?? 0,
      lostRun: () => this.#lostRun,
      onChanged,
    });
    const router = new FrameRouter({
      output: this.#output,
      desk: this.desk,
      commands: this.commands,
      picture: this.#picture,
      listed: this.listed,
      settling: this.#settling,
      undelivered: this.#undelivered,
      limit: () => this.#limit,
      onRunStart: () => {
        this.#lostRun = undefined;
        this.#limit = undefined;
      },
      onStored: () => {
        this.#isStored = true;
      },
      onMoved: (movedId, file) => options.onMoved(movedId, file),
      onProgress: onChanged,
    });
    this.worker.adopt(options.process);
  }

  // State

  get status(): SessionStatus {
    if (this.#isWaiting) return "waiting";
    return this.#picture.isRunning || this.commands.sent.isBusy ? "running" : "idle";
  }

  /** The cursor of a host that has received nothing. */
  get beginning(): SessionCursor {
    return { epoch: this.#options.epoch, seq: this.#options.firstSeq };
  }

  /** Whether a session file contains an entry of the session. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** Resolves when nothing is in progress, jobs in the background included. */
  settled(): Promise<void> {
    return this.#idle.settled();
  }

  /** Whether closing the session would end a run. */
  get hasRun(): boolean {
    return this.#isWaiting || this.#picture.isRunning || this.commands.sent.hasWork;
  }

  /**
   * A promise while a run settles. A host that reacts to one of the last events of a run cannot know which of them the gateway has
   * received, so the gateway waits for it.
   */
  get settling(): Promise<void> | undefined {
    const { promise } = this.#settling;
    return promise && orGiveUp(promise);
  }

  /** Whether a run, or anything else that a host requested, is in progress. */
  get isBusy(): boolean {
    return this.status !== "idle" || !this.worker.isSteady;
  }

  /** Whether commands run in the background, which would end with the worker. */
  get hasJobs(): boolean {
    return this.#picture.hasJobs;
  }

  /** Whether the result of such a command will still be reported. */
  get awaitsJobs(): boolean {
    return this.#picture.awaitsJobs;
  }

  get #isWaiting(): boolean {
    return this.desk.questions.size > 0 || this.#picture.isWaiting;
  }

  get runs(): number {
    return this.#picture.runCount;
  }

  get isRunning(): boolean {
    return this.#picture.isRunning;
  }

  get pid(): number | undefined {
    return this.worker.process?.pid;
  }

  // Ends

  /** Ends the worker; the next command starts another one. */
  async hibernate(): Promise<void> {
    await this.worker.end();
  }

  /** Ends the worker permanently. `leave` reports it to the hosts. */
  async close(): Promise<void> {
    this.#idle.stop();
    this.attachments.close();
    if (this.isBusy) this.commands.abort();
    await this.worker.close();
    await orGiveUp(this.#hold.drained());
  }

  /**
   * Kills the worker during its run, which another node continues. Everything that the worker has reported is stored.
   */
  async leaveRun(): Promise<void> {
    this.#idle.stop();
    this.#isLeaving = true;
    this.worker.kill();
    await this.worker.close();
    await orGiveUp(this.#hold.drained());
    this.commands.fail(new CommandError("session_moved", "The run continues on another node"));
  }

  /** Detaches all hosts. `session_moved` means that the session is closed here and continues on another node. */
  leave(why: "session_closed" | "session_moved"): void {
    this.#output.emitOwn(why, {});
    this.hosts.clear();
  }

  /** Kills the worker, because another node has taken the session. The worker's last frames are not emitted. */
  async lose(node: string | undefined): Promise<void> {
    this.#idle.stop();
    this.worker.kill();
    this.commands.fail(new CommandError("session_moved", "Another node has taken the session"));
    this.#forgetWork();
    this.#output.emitOwn("session_moved", node === undefined ? {} : { node });
    this.hosts.clear();
    await this.worker.close();
  }

  /** Reports a run that the previous node did not finish, now and in every snapshot until the next run starts. */
  reportLostRun(lost: LostRun): void {
    this.#lostRun = lost;
    this.#output.emitOwn("run_interrupted", { ...lost });
  }

  /** Aborts a run that has reached a limit of the server. */
  limitRun(reason: string): void {
    this.#limit = reason;
    this.#output.emitOwn("notice", { level: "error", message: reason, source: "server" });
    this.commands.abort();
  }

  /** Kills the worker if its run did not end after `limitRun`. */
  killFor(reason: string): void {
    this.#limit = reason;
    this.worker.process?.kill();
  }

  // The worker

  #createWorker(): SessionWorker {
    const { start, startHelper, commands } = this.#options;
    return new SessionWorker({
      start,
      startHelper,
      introduction: () =>
        introduction({
          hold: this.#hold,
          undelivered: this.#undelivered,
          output: this.#output,
          commands: this.commands,
          attachments: this.attachments,
          tools: this.desk.tools,
          startCommands: commands,
        }),
      onLine: (line) => this.#hold.push(line),
      backPressure: () => this.#hold.backPressure() ?? this.#hostPressure(),
      onEnd: (waiting) => {
        const lost = this.commands.sent.openExcept(waiting);
        this.#hold.afterHeld(() => this.#onEnd(lost));
      },
      onDeath: (exit) => {
        if (this.#isLeaving) return;
        this.#hold.workerDied();
        this.#hold.afterHeld(() => this.#onDeath(exit));
      },
      onUnsent: (ids, error) => this.commands.failUnsent(ids, error),
      onGivenUp: () => {
        const message = "The engine of this session ended three times within a minute";
        this.#output.emitOwn("session_failed", { message });
      },
    });
  }

  /** Returns a promise while a host on stdio has too much unread data. */
  #hostPressure(): Promise<void> | undefined {
    for (const { host } of this.hosts.all()) {
      const pressure = host.backPressure();
      if (pressure) return pressure;
    }
    return undefined;
  }

  #onEnd(lost: readonly string[]): void {
    this.commands.fail(new CommandError("worker_exited", "The engine was ended"), lost);
    this.#forgetWork();
    this.log.ring.clear();
  }

  #onDeath({ code, signal, stderrTail }: WorkerExit): void {
    this.#undelivered.expect();
    this.#forgetWork();
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    this.commands.fail(new CommandError("worker_exited", `The engine of the session ended ${how} before it responded`));
    const reason = this.#limit === undefined ? {} : { reason: this.#limit };
    this.#output.emitOwn("worker_exited", { code, signal, stderrTail, ...reason });
    this.#limit = undefined;
  }

  #forgetWork(): void {
    this.#picture.clear();
    this.commands.spans.endAll("worker_exited");
    this.#settling.end();
    this.desk.clear();
    this.#idle.look();
  }
}

/** Waits for a limited time, because an unreachable store may never answer. */
async function orGiveUp(done: Promise<void>): Promise<void> {
  const isOver = new AbortController();
  await Promise.race([done, delay(STORE_PATIENCE_MS, isOver.signal)]);
  isOver.abort();
}
