import type { BackgroundJobs } from "./background-jobs.ts";
import { jobLine } from "./job-report.ts";

const PAUSE_MS = 10;

export interface SettlingSession {
  jobs: BackgroundJobs;
  /** `settled` resolves when no run is active. */
  runs: { settled(): Promise<void> };
}

/**
 * Resolves when no run is active and no job is pending. If no job ends for `waitMs`, cancels all and returns a message that
 * names them.
 */
export async function settleJobs(session: SettlingSession, waitMs: number): Promise<string | undefined> {
  const { jobs, runs } = session;
  await runs.settled();
  while (jobs.isPending) {
    const pending = jobs.list().filter(({ service }) => !service);
    if (pending.length > 0) {
      await jobs.nextEnd(
        pending.map(({ id }) => id),
        waitMs,
        [],
      );
      if (pending.every(({ id }) => jobs.get(id).status === "running")) {
        await jobs.cancelAll();
        return `cancelled after ${waitMs / 1000} s without a result (async.printWaitMs): ${pending.map(jobLine).join("; ")}`;
      }
    }
    await jobs.deliver();
    await runs.settled();
    // A session change may delay the delivery, so let timers and input run meanwhile.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return undefined;
}
