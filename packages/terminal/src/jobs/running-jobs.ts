import type { AsyncJob, RpcCore } from "@pintle/client";

const READ_INTERVAL_MS = 1_000;
/** Enough of the end of the output to contain its last line. */
const TAIL_BYTES = 2_000;

export interface RunningJob {
  job: AsyncJob;
  /** The last line of its output that is not empty. */
  lastLine: string;
}

/** The jobs of the session that are running, and the last line of each one's output. Asks the session only while there are any. */
export class RunningJobs {
  readonly #jobs = new Map<string, RunningJob>();
  readonly #onChange: () => void;
  #session: RpcCore | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isReading = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get list(): readonly RunningJob[] {
    return [...this.#jobs.values()];
  }

  /** Reads the running jobs of a session that has just been opened. */
  async open(session: RpcCore): Promise<void> {
    this.#session = session;
    const { jobs } = await session.getAsyncJobs();
    this.#replace(jobs);
  }

  started(job: AsyncJob): void {
    this.#jobs.set(job.id, { job, lastLine: "" });
    this.#changed();
  }

  ended({ id }: AsyncJob): void {
    if (this.#jobs.delete(id)) this.#changed();
  }

  /** Forgets all jobs, because their session is gone. */
  clear(): void {
    this.#session = undefined;
    this.#jobs.clear();
    this.#changed();
  }

  #replace(jobs: readonly AsyncJob[]): void {
    const known = new Map(this.#jobs);
    this.#jobs.clear();
    for (const job of jobs) this.#jobs.set(job.id, { job, lastLine: known.get(job.id)?.lastLine ?? "" });
    this.#changed();
  }

  #changed(): void {
    if (this.#jobs.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else {
      this.#timer ??= setInterval(() => {
        // Fails if the connection is lost or a job is gone, and both are reported as events.
        this.#read().catch(() => {});
      }, READ_INTERVAL_MS);
    }
    this.#onChange();
  }

  async #read(): Promise<void> {
    const session = this.#session;
    if (this.#isReading || !session) return;
    this.#isReading = true;
    try {
      const { jobs } = await session.getAsyncJobs();
      if (session !== this.#session) return;
      const grown = jobs.filter(({ id, bytes }) => bytes > (this.#jobs.get(id)?.job.bytes ?? 0));
      this.#replace(jobs);
      for (const { id, bytes } of grown) {
        const { text } = await session.getAsyncJobOutput(id, { fromByte: Math.max(0, bytes - TAIL_BYTES) });
        const running = this.#jobs.get(id);
        if (running) running.lastLine = lastLineOf(text) ?? running.lastLine;
      }
    } finally {
      this.#isReading = false;
      this.#onChange(); // also updates the running times
    }
  }
}

function lastLineOf(text: string): string | undefined {
  return text.split("\n").findLast((line) => line.trim() !== "");
}
