import type { AsyncJob } from "@pintle/client";
import { duration } from "../feed/spinner.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";

const MAX_LABEL = 500;
/** The maximum length of a line in the feed, which is wrapped. */
const MAX_END_LABEL = 60;

/** What is known about a job, from an event, a list, or a result in the conversation. */
export interface JobFacts {
  id: string;
  type: string;
  status: AsyncJob["status"] | "aborted";
  label: string;
  durationMs: number;
  exitCode?: number;
  service?: true;
}

/** The server's clock may differ from this one, so negative running times become zero. */
export function factsOf({ id, type, status, label, startTime, endTime, exitCode, service }: AsyncJob): JobFacts {
  const durationMs = Math.max(0, (endTime ?? Date.now()) - startTime);
  return {
    id,
    type,
    status,
    label,
    durationMs,
    ...(exitCode !== undefined && { exitCode }),
    ...(service && { service }),
  };
}

/** Returns the command or the task in one line. */
export function jobLabel(label: string): string {
  return shownText(label.slice(0, MAX_LABEL)).trim().replaceAll("\n", " ⏎ ");
}

/** Describes the state of a job: `running for 12s`, `exit code 1 after 3.2s`. */
export function jobState({ type, status, durationMs, exitCode, service }: JobFacts): string {
  const time = duration(durationMs);
  const after = time === "" ? "" : ` after ${time}`;
  switch (status) {
    case "running":
      return `${service ? "service, " : ""}running${time === "" ? "" : ` for ${time}`}`;
    case "cancelled":
      return `stopped${after}`;
    case "aborted":
      return "lost, because pintle ended";
    default:
      if (exitCode !== undefined) return `exit code ${exitCode}${after}`;
      if (status === "completed") return `done${after}`;
      return `${type === "bash" ? "timed out" : "failed"}${after}`; // a failed command has an exit code
  }
}

/** Returns the line that reports the end of a job. */
export function endLine(job: JobFacts, theme: Theme): string {
  const failed = job.status === "failed";
  const sign = job.status === "completed" ? theme.success("✓") : failed ? theme.failure("✗") : theme.warning("–");
  const state = jobState(job);
  return `${sign} ${theme.bold(job.id)} ended: ${failed ? theme.failure(state) : state}${theme.dim(` · ${jobLabel(job.label.slice(0, MAX_END_LABEL))}`)}`;
}

/** Returns "1 background job" or "3 background jobs". */
export function jobCount(count: number): string {
  return count === 1 ? "1 background job" : `${count} background jobs`;
}
