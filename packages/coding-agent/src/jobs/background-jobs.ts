import type { CustomMessage } from "@pintle/agent";
import { onAbort, type Usage } from "@pintle/ai";
import type { ShellEnd } from "@pintle/exec/processes";
import { SessionError } from "@pintle/storage";
import type { AgentSessionEvent, AsyncJob, SessionEntry } from "@pintle/wire";
import type { JobOutput, OutputPart } from "./job-output.ts";
import {
  type EndRecord,
  type EndStatus,
  type JobRecord,
  jobIdOf,
  type LostJob,
  readStoredJobs,
  reportedJobs,
  type StartRecord,
} from "./job-records.ts";
import { jobReport, type ReportedJob } from "./job-report.ts";

/** How a job ended: its command, or its subagent. */
export type JobEnd = ShellEnd | { kind: "task"; status: EndStatus };

/** A command or a subagent that continues without the call that started it. */
export interface JobWork {
  /** The command, or the task of the subagent in one line. */
  command: string;
  isService: boolean;
  output: JobOutput;
  /** Rejects if the command could not be started, which the call that started it reports. */
  finished: Promise<{ end: JobEnd }>;
  /** Ends the work; `finished` resolves afterwards. */
  stop(): void;
  /** Set for a subagent, whose id is that of the job. */
  subagent?: { id: string; agent: string; usage(): Usage };
  /** Called once, when the model receives the result. */
  onDelivered?(): void;
}

/** A running call that can become a job. */
export interface PromotableCall {
  toolCallId: string;
  /** Turns what it runs into jobs, and ends the call. */
  promote(): AsyncJob[];
}

export interface BackgroundJobsParts {
  now(): number;
  maxJobs(): number;
  /** Whether a setting or the host turns async work on. Read when a run begins. */
  isWanted(): boolean;
  session(): { id: string; entries(): Iterable<SessionEntry> };
  /** Stores a record in the open session. Throws if that is impossible. */
  record(record: JobRecord): void;
  emit(event: AgentSessionEvent): void;
  /** Starts a run with a message in an idle session. Rejects if no run could be started. */
  startRun(message: CustomMessage): Promise<void>;
  isIdle(): boolean;
}

/** How many ended jobs can still be listed. */
const MAX_ENDED = 256;

interface Job {
  info: AsyncJob;
  work: JobWork;
  /** Resolves when its end is recorded. */
  ended: Promise<void>;
  /** Whether the result was returned by the `job` tool, is in a message, or is not needed. */
  isConsumed: boolean;
  /** Whether the result waits for the next prompt, because the user aborted a run or ended the job. */
  waitsForPrompt: boolean;
  isCancelled: boolean;
}

/**
 * The commands of a session that run in the background. A result reaches the model exactly once: in the active run at the next
 * turn boundary, otherwise in a run of its own, or with the next prompt.
 */
export class BackgroundJobs {
  readonly #parts: BackgroundJobsParts;
  readonly #jobs = new Map<string, Job>();
  readonly #promotable = new Map<string, PromotableCall>();
  /** Called whenever a job ends. */
  readonly #endListeners = new Set<() => void>();
  /** Jobs in a message that has not been added to the conversation yet. */
  #inFlight = new Set<string>();
  #lost: LostJob[] = [];
  /** Subagents that the session started in an earlier process, or in this one. */
  #tasks = new Map<string, StartRecord>();
  #highest = 0;
  #isOn = false;
  #isStartingRun = false;

  constructor(parts: BackgroundJobsParts) {
    this.#parts = parts;
    this.restore();
  }

  /** Whether the model may start background jobs. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Turns async work on if it is wanted; it stays on until the session is closed. Returns whether it was turned on now. */
  beginRun(): boolean {
    if (this.#isOn || !this.#parts.isWanted()) return false;
    this.#isOn = true;
    return true;
  }

  /** Whether a result will still start a run by itself. */
  get isPending(): boolean {
    for (const job of this.#jobs.values()) if (!isIgnored(job) && !job.waitsForPrompt) return true;
    return false;
  }

  /** The number of running jobs, including services. */
  get runningCount(): number {
    return this.#running().length;
  }

  /** Forgets the jobs of the previous session, and reads jobs of earlier processes from the entries of the open one. */
  restore(): void {
    this.#jobs.clear();
    this.#inFlight.clear();
    const { id, entries } = this.#parts.session();
    const { lost, highest, tasks } = readStoredJobs(entries(), id);
    this.#lost = lost;
    this.#highest = highest;
    this.#tasks = new Map(tasks);
  }

  /** Stores that a job or a subagent starts. Throws if that is impossible. */
  recordStart(record: StartRecord): void {
    this.#parts.record(record);
    if (record.type === "task") this.#tasks.set(record.jobId, record);
  }

  /** Stores that it has ended. */
  recordEnd(record: EndRecord): void {
    try {
      this.#parts.record(record);
    } catch {
      // The session store reports that it cannot write. The work has ended anyway.
    }
  }

  /** Whether the result of a job has not reached the model yet. */
  isUnreported(id: string): boolean {
    const job = this.#jobs.get(id);
    return job !== undefined && !job.isConsumed;
  }

  /** Returns how a subagent of this session started last. */
  storedTask(id: string): StartRecord | undefined {
    return this.#tasks.get(id);
  }

  /** Whether another job may start. */
  get hasRoom(): boolean {
    return this.runningCount < this.#parts.maxJobs();
  }

  /** Throws an error for the model if no other job may start, or not as many as it wants. */
  requireRoom(count = 1): void {
    const max = this.#parts.maxJobs();
    const { runningCount } = this;
    if (runningCount + count > max) {
      throw new Error(
        `Not started: ${runningCount} background jobs are running, and ${max} is the limit of the setting async.maxJobs. Wait for one of them, or end one with job {"action": "kill"}.`,
      );
    }
  }

  /** Takes over a command as a job. The start is stored before anyone is informed. */
  add(work: JobWork): AsyncJob {
    const { command: label, isService, subagent } = work;
    if (!subagent) this.#highest += 1;
    const id = subagent?.id ?? jobIdOf(this.#highest);
    const startTime = this.#parts.now();
    const sessionId = this.#parts.session().id;
    this.recordStart({
      event: "start",
      jobId: id,
      sessionId,
      label,
      ...(isService && { service: true }),
      ...(subagent && { type: "task", agent: subagent.agent }),
      startTime,
    });
    const info: AsyncJob = { id, type: "bash", status: "running", label, startTime, bytes: 0 };
    if (isService) info.service = true;
    if (subagent) Object.assign(info, { type: "task", subagentId: id });
    const job: Job = {
      info,
      work,
      ended: Promise.resolve(),
      isConsumed: false,
      waitsForPrompt: false,
      isCancelled: false,
    };
    this.#jobs.set(id, job);
    this.#parts.emit({ type: "async_job_start", job: factsOf(job) });
    work.output.store();
    job.ended = work.finished.then(
      ({ end }) => this.#end(job, end),
      () => {
        job.isConsumed = true;
        return this.#end(job, { kind: "cancelled" });
      },
    );
    return factsOf(job);
  }

  list({ all = false } = {}): AsyncJob[] {
    return [...this.#jobs.values()].filter(({ info }) => all || info.status === "running").map(factsOf);
  }

  /** Throws SessionError for an id that is not a job's. */
  get(id: string): AsyncJob {
    return factsOf(this.#find(id));
  }

  async read(id: string, fromByte: number, maxBytes: number): Promise<OutputPart & Pick<AsyncJob, "status">> {
    const { work, info } = this.#find(id);
    return { ...(await work.output.read(fromByte, maxBytes)), status: info.status };
  }

  /** Returns a job that has ended, for a result that the model receives now: it is not reported again. */
  take(id: string): ReportedJob {
    const job = this.#find(id);
    consume(job);
    return { job: factsOf(job), output: job.work.output };
  }

  /** Whether the model has received the result of a job that has ended. */
  isKnown(id: string): boolean {
    const job = this.#find(id);
    return job.isConsumed || this.#inFlight.has(id);
  }

  /** Ends a job. Resolves when none of its processes is left. With `isByHost`, the result waits for the next prompt. */
  async cancel(id: string, { isByHost = false } = {}): Promise<AsyncJob> {
    const job = this.#find(id);
    if (job.info.status === "running") {
      job.isCancelled = true;
      if (isByHost) job.waitsForPrompt = true;
      job.work.stop();
      await job.ended;
    }
    return factsOf(job);
  }

  /** Ends all jobs, and resolves when none of their processes is left. */
  async cancelAll(): Promise<void> {
    await Promise.all(this.#running().map((job) => this.cancel(job.info.id, { isByHost: true })));
  }

  /** Called after an abort: results of jobs that were started before it wait for the next prompt. */
  holdResults(): void {
    for (const job of this.#jobs.values()) job.waitsForPrompt = true;
  }

  /** Resolves when one of the jobs ends, the time is up or the signal is aborted. */
  async nextEnd(ids: readonly string[], ms: number, signals: readonly AbortSignal[]): Promise<void> {
    const done = Promise.withResolvers<void>();
    const check = () => {
      if (ids.some((id) => this.#jobs.get(id)?.info.status !== "running")) done.resolve();
    };
    const timer = setTimeout(done.resolve, ms);
    const forget = signals.map((signal) => onAbort(signal, done.resolve));
    this.#endListeners.add(check);
    check();
    await done.promise;
    this.#endListeners.delete(check);
    clearTimeout(timer);
    for (const drop of forget) drop();
  }

  /** Registers a running call that can become a job. Returns a function that unregisters it. */
  offerPromotion(call: PromotableCall): () => void {
    this.#promotable.set(call.toolCallId, call);
    return () => {
      if (this.#promotable.get(call.toolCallId) === call) this.#promotable.delete(call.toolCallId);
    };
  }

  /** Turns running calls into jobs: the one with the id, or all. Throws SessionError if there is no such call. */
  promote(toolCallId?: string): string[] {
    if (!this.#isOn) {
      throw new SessionError("invalid_request", "Async work is off: declare asyncWork, or set async.enabled");
    }
    const calls = toolCallId === undefined ? [...this.#promotable.values()] : [this.#promotable.get(toolCallId)];
    return calls.flatMap((call) => {
      if (!call) throw new SessionError("not_found", `No running command has the call id ${toolCallId}`);
      if (!this.hasRoom) {
        throw new SessionError("invalid_request", `The limit of background jobs is reached (setting async.maxJobs)`);
      }
      return call.promote().map(({ id }) => id);
    });
  }

  /** Returns a message with all results that the model has not received, or undefined if there is none. */
  report(): CustomMessage | undefined {
    const ready = [...this.#jobs.values()].filter(
      (job) => job.info.status !== "running" && !isIgnored(job) && !this.#inFlight.has(job.info.id),
    );
    const ended: ReportedJob[] = ready.map(({ info, work }) => ({
      job: { ...info },
      output: work.output,
      usage: work.subagent?.usage(),
    }));
    const lost = this.#lost.filter(({ start }) => !this.#inFlight.has(start.jobId));
    if (ended.length + lost.length === 0) return undefined;
    const message = jobReport(ended, lost, this.#parts.now());
    for (const id of reportedJobs(message)) this.#inFlight.add(id);
    return message;
  }

  /** Receives every message that was added to the conversation. */
  onMessage(message: { role: string; customType?: unknown; details?: unknown }): void {
    if (message.role !== "custom") return;
    for (const id of reportedJobs(message)) {
      this.#inFlight.delete(id);
      const job = this.#jobs.get(id);
      if (job) consume(job);
      this.#lost = this.#lost.filter(({ start }) => start.jobId !== id);
    }
    this.#forgetOldest();
  }

  /** Called at the end of a run. Results that were taken for it but never added are delivered again. */
  onRunEnd(isAborted: boolean): void {
    this.#inFlight.clear();
    if (isAborted) this.holdResults();
  }

  /** Starts a run for results that wait, if the session is idle. */
  async deliver(): Promise<void> {
    if (this.#isStartingRun || !this.#parts.isIdle()) return;
    const isReady = [...this.#jobs.values()].some(
      (job) => job.info.status !== "running" && !isIgnored(job) && !job.waitsForPrompt,
    );
    const message = isReady ? this.report() : undefined;
    if (!message) return;
    this.#isStartingRun = true;
    try {
      await this.#parts.startRun(message);
    } catch {
      // There may be no model, for example. The result is not lost: the next prompt delivers it.
      this.onRunEnd(true);
    } finally {
      this.#isStartingRun = false;
    }
  }

  #running(): Job[] {
    return [...this.#jobs.values()].filter(({ info }) => info.status === "running");
  }

  #find(id: string): Job {
    const job = this.#jobs.get(id);
    if (!job) throw new SessionError("not_found", `Unknown job: ${id}`);
    return job;
  }

  async #end(job: Job, end: JobEnd): Promise<void> {
    const { info, work } = job;
    await work.output.close();
    const exitCode = "exitCode" in end ? end.exitCode : undefined;
    const status = job.isCancelled ? "cancelled" : statusOf(end);
    info.endTime = this.#parts.now();
    info.status = status;
    if (exitCode !== undefined) info.exitCode = exitCode;
    const { path } = work.output;
    const record: EndRecord = { event: "end", jobId: info.id, status, endTime: info.endTime };
    if (exitCode !== undefined) record.exitCode = exitCode;
    if (path !== undefined) record.outputPath = path;
    if (isIgnored(job)) record.silent = true;
    this.recordEnd(record);
    for (const notify of this.#endListeners) notify();
    this.#parts.emit({ type: "async_job_end", job: factsOf(job) });
    void this.deliver(); // does not reject
  }

  #forgetOldest(): void {
    const ended = [...this.#jobs.values()].filter(({ info, isConsumed }) => info.status !== "running" && isConsumed);
    for (const { info } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#jobs.delete(info.id);
  }
}

function statusOf(end: JobEnd): EndStatus {
  if (end.kind === "task") return end.status;
  if (end.kind === "cancelled") return "cancelled";
  return "exitCode" in end && end.exitCode === 0 ? "completed" : "failed";
}

function consume(job: Job): void {
  if (job.isConsumed) return;
  job.isConsumed = true;
  job.work.onDelivered?.();
}

/** Returns whether the model need not be informed of a job: it knows the result, or a service runs or ended as expected. */
function isIgnored({ info, isConsumed }: Job): boolean {
  return (
    isConsumed ||
    (info.service === true && (info.status === "running" || info.status === "cancelled" || info.exitCode === 0))
  );
}

/** Returns a copy, because events keep what they contain. */
function factsOf({ info, work: { output } }: Job): AsyncJob {
  const { path, bytes } = output;
  return { ...info, bytes, ...(path !== undefined && { outputPath: path }) };
}
