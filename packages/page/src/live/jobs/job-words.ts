import type { AsyncJob } from "@pintle/client/core";
import { duration } from "../../format.ts";

/** The server's clock may differ from this one, so negative running times become zero. */
export function jobTime({ startTime, endTime }: AsyncJob, now: number): string {
  return duration(Math.max(0, (endTime ?? now) - startTime));
}

/** Describes the state of a job: "running for 12 s", "exit code 1 after 3.2 s". */
export function jobState(job: AsyncJob, now: number): string {
  const { status, exitCode, service, type } = job;
  const time = jobTime(job, now);
  if (status === "running") return `${service ? "service, " : ""}running for ${time}`;
  if (status === "cancelled") return `stopped after ${time}`;
  if (exitCode !== undefined) return `exit code ${exitCode} after ${time}`;
  if (status === "completed") return `done after ${time}`;
  return `${type === "bash" ? "timed out" : "failed"} after ${time}`; // a failed command has an exit code
}
