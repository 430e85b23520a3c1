import { delay, errorText } from "@pintle/ai";
import type { Host, HostPort } from "@pintle/gateway/cluster";
import { JobRun, type RunEnd } from "./job-run.ts";
import type { JobTable, TakenJob } from "./job-table.ts";

export interface JobRunnerOptions {
  table: JobTable;
  /** How many jobs run here at the same time. */
  slots: number;
  /** How many engines could be started now. */
  room(): number;
  accept(host: Host): HostPort;
  /** How often this node records that it is still running its jobs. */
  beatMs: number;
  log(text: string): void;
}

/** How often the table is read without a notification. */
const LOOK_MS = 1_000;
/** Delay before a failed write of a result is retried; doubled each time, up to a limit. */
const RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;
const RETRIES = 40;
/** A node that could not start a job leaves jobs to other nodes for this long. */
const REST_MS = 1_000;

/** Takes jobs from the queue while this node has capacity, and runs each in a session of its own. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #runs = new Map<string, { run: JobRun; over: Promise<void> }>();
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #isLooking = false;
  #isWanted = false;
  #isEnding = false;
  #restUntil = 0;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    const { table, beatMs, slots } = this.#options;
    if (slots > 0) {
      table.onChanged((what) => (what === "cancelled" ? void this.#beat() : this.#look())); // neither rejects
      this.#timers.push(setInterval(() => this.#look(), LOOK_MS));
    }
    this.#timers.push(setInterval(() => void this.#beat(), beatMs)); // does not reject
    for (const timer of this.#timers) timer.unref();
    this.#look();
  }

  /** Takes no more jobs. Resolves when the running ones have ended. */
  async settled(): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#runs.values()].map(({ over }) => over));
  }

  /** Returns running jobs to the queue. */
  async leave(): Promise<void> {
    for (const { run } of this.#runs.values()) run.stop("leaving");
    await this.settled();
    for (const timer of this.#timers) clearInterval(timer);
  }

  #look(): void {
    this.#isWanted = true;
    if (!this.#isLooking) void this.#take(); // does not reject
  }

  async #take(): Promise<void> {
    const { table, slots, room } = this.#options;
    this.#isLooking = true;
    while (this.#isWanted) {
      this.#isWanted = false;
      const count = Math.min(slots - this.#runs.size, room());
      if (this.#isEnding || count <= 0 || performance.now() < this.#restUntil) break;
      const jobs = await this.#orNone(() => table.take(count));
      for (const job of jobs ?? []) this.#begin(job);
      if (jobs?.length === count) this.#isWanted = this.#runs.size < slots;
    }
    this.#isLooking = false;
  }

  #begin(job: TakenJob): void {
    const { table, accept, log } = this.#options;
    const run = new JobRun({ job, table, accept });
    const over = this.#run(run)
      .catch((error: unknown) => log(`the job ${job.jobId} could not be run: ${errorText(error)}`))
      .finally(() => {
        this.#runs.delete(job.jobId);
        this.#look();
      });
    this.#runs.set(job.jobId, { run, over });
  }

  /** Runs a job. Closes the session before it reports the end, because a host that receives the end may open the session. */
  async #run(run: JobRun): Promise<void> {
    const end = await this.#endOf(run);
    await run.close();
    if (end === "unbegun") this.#restUntil = performance.now() + REST_MS;
    if (end !== undefined) await this.#write(run.job, end);
  }

  /** The table cannot be written although the session exists: another node finds the job when its lease has expired. */
  async #endOf(run: JobRun): Promise<RunEnd> {
    try {
      return await run.attempt();
    } catch (error) {
      this.#options.log(`the job ${run.job.jobId} returns to the queue: ${errorText(error)}`);
      return "lost";
    }
  }

  /** Retries while the database is unavailable. The statement names the attempt, so a late write does no harm. */
  async #write(job: TakenJob, end: Exclude<RunEnd, undefined>): Promise<void> {
    const { table } = this.#options;
    for (let attempt = 0; ; attempt += 1) {
      try {
        if (typeof end === "string") await table.giveBack(job, end);
        else await table.ended(job, end);
        return;
      } catch (error) {
        if (attempt === RETRIES) throw error;
        await delay(Math.min(RETRY_MS * 2 ** attempt, MAX_RETRY_MS));
      }
    }
  }

  /** Extends the leases of running jobs, detects cancelled ones, and finds jobs of lost nodes. */
  async #beat(): Promise<void> {
    const { table } = this.#options;
    const held = [...this.#runs.values()].map(({ run }) => run);
    const kept = held.length > 0 ? await this.#orNone(() => table.extend(held.map(({ job }) => job))) : undefined;
    for (const run of kept ? held : []) {
      const state = kept?.get(run.job.jobId);
      if (!state) run.stop("lost");
      else if (state.isCancelled) run.stop("cancelled");
    }
    await this.#orNone(() => table.tidy());
  }

  /** The database is unavailable; the next round tries again. */
  async #orNone<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch {
      return undefined;
    }
  }
}
