import { ENDED } from "../audit/check-jobs.ts";
import { Refused } from "../cluster/recording-host.ts";
import { retryLater, type TalkerOptions } from "./talker.ts";

const DEADLINE_MS = 6_000;

/** A host that submits jobs, retrying each until it has a job id, and checks how they end. */
export class JobClerk {
  readonly jobs: string[] = [];
  readonly #options: TalkerOptions;

  constructor(options: TalkerOptions) {
    this.#options = options;
  }

  async submitAll(count: number, signal: AbortSignal): Promise<void> {
    const { random, cwd } = this.#options;
    for (let n = 1; n <= count && !signal.aborted; n += 1) {
      const prompt = `run sleep ${(random.integer(0, 5) / 10).toFixed(1)} && echo job-${n}`;
      const submit = { type: "submit", prompt, cwd, model: "pintle/offline", commandKey: `job-${n}` };
      const { jobId } = await this.#ask<{ jobId: string }>(submit);
      this.jobs.push(jobId);
      await Bun.sleep(random.integer(50, 1_500));
    }
  }

  /** Returns the states. */
  async untilAllEnd(): Promise<string[]> {
    const states: string[] = [];
    for (const jobId of this.jobs) {
      let status = "";
      while (!ENDED.has(status)) {
        ({ status } = await this.#ask<{ status: string }>({ type: "get_job", jobId }));
        if (!ENDED.has(status)) await Bun.sleep(100);
      }
      states.push(status);
    }
    return states;
  }

  /** Retries if there is no response. A permanent refusal is a defect of the run. */
  async #ask<T>(command: Record<string, unknown>): Promise<T> {
    const { host, random, ports } = this.#options;
    for (;;) {
      try {
        if (!host.isConnected) await host.connect(random.pick(ports), DEADLINE_MS);
        return await host.ask<T>(command, DEADLINE_MS);
      } catch (error) {
        if (error instanceof Refused && (error.code === "invalid_request" || error.code === "not_allowed")) throw error;
        await retryLater(host, error);
      }
    }
  }
}
