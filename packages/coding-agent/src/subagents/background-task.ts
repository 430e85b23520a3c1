import type { AsyncJob } from "@pintle/wire";
import type { JobWork } from "../jobs/background-jobs.ts";
import { JobOutput } from "../jobs/job-output.ts";
import type { Child } from "./child.ts";
import type { Delegation } from "./delegation.ts";
import type { PlannedTask } from "./plan-task.ts";
import type { ReportedTask } from "./report-task.ts";

/** Lets a running subagent continue as a job. Its report is the output of the job. */
export function runInBackground(
  { child }: Pick<PlannedTask, "child">,
  done: Promise<ReportedTask>,
  { parts }: Delegation,
): AsyncJob {
  child.isDetached = true;
  const output = new JobOutput(undefined);
  const { id, agent } = child.facts;
  let reported: ReportedTask | undefined;
  const finished = done.then((task) => {
    reported = task;
    void output.append(Buffer.from(task.text)); // stays in memory, so there is nothing to wait for
    const { status } = task.result;
    return { end: { kind: "task" as const, status: status === "aborted" ? ("cancelled" as const) : status } };
  });
  const work: JobWork = {
    command: child.label,
    isService: false,
    output,
    finished,
    stop: () => void parts.subagents.end(child, "it was cancelled"), // does not reject
    subagent: { id, agent, usage: () => reported?.result.usage ?? child.usage },
    onDelivered() {
      if (reported?.preview) parts.stage(reported.preview);
    },
  };
  try {
    return parts.jobs.add(work);
  } catch (error) {
    work.stop(); // without a record it must not run
    throw error;
  }
}

/** What the call returns about a subagent that continues without it. */
export function startedText({ facts }: Child): string {
  return `Subagent ${facts.id} (${facts.agent}) works in the background. Its result is reported to you when it ends.`;
}
