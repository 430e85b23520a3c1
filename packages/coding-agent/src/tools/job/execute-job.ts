import type { ToolInvocation, ToolResult } from "@pintle/agent";
import type { AsyncJob } from "@pintle/wire";
import type { Static } from "typebox";
import type { BackgroundJobs } from "../../jobs/background-jobs.ts";
import { jobLine, outputLines } from "../../jobs/job-report.ts";
import type { JOB_ACTIONS, JobParameters } from "../job.ts";
import { outputLimits } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";

type Arguments = Static<JobParameters>;

export interface JobDetails {
  jobs: AsyncJob[];
}

interface JobCall {
  jobs: BackgroundJobs;
  /** The jobs that the call names, or all that it may mean. */
  ids: readonly string[];
  args: Arguments;
  call: ToolInvocation;
  maxBytes: number;
}

const DEFAULT_WAIT_S = 60;
const MAX_WAIT_S = 3_600;

/** Returns the text about each job. */
const ACTIONS: Record<(typeof JOB_ACTIONS)[number], (call: JobCall) => Promise<string[]>> = {
  async list({ jobs, ids }) {
    return ids.map((id) => jobLine(jobs.get(id)));
  },
  async read({ jobs, ids, args: { fromByte }, maxBytes }) {
    return Promise.all(ids.map((id) => readJob(jobs, id, fromByte, Math.floor(maxBytes / ids.length))));
  },
  async wait({ jobs, ids, args: { timeout = DEFAULT_WAIT_S }, call, maxBytes }) {
    const ms = Math.min(Math.max(0, timeout), MAX_WAIT_S) * 1000;
    await jobs.nextEnd(ids, ms, [call.signal, call.steeringSignal]);
    if (call.signal.aborted) return ids.map((id) => jobLine(jobs.get(id))); // the model will not see this result
    return ids.map((id) => endOf(jobs, id, maxBytes / ids.length));
  },
  async kill({ jobs, ids, maxBytes }) {
    await Promise.all(ids.map((id) => jobs.cancel(id)));
    return ids.map((id) => endOf(jobs, id, maxBytes / ids.length));
  },
};

/** Throws an error for the model. */
export async function execute(
  args: Arguments,
  call: ToolInvocation,
  { jobs, settings }: ToolContext,
): Promise<ToolResult<JobDetails>> {
  if (!jobs) throw new Error("There are no background jobs, because async work is off (setting async.enabled).");
  const ids = idsFor(args, jobs);
  const { maxBytes } = outputLimits(settings);
  const texts = await ACTIONS[args.action]({ jobs, ids, args, call, maxBytes });
  const text = texts.length > 0 ? texts.join("\n\n") : "No background job is running.";
  return { content: [{ type: "text", text }], details: { jobs: ids.map((id) => jobs.get(id)) } };
}

function idsFor({ action, jobs: named }: Arguments, jobs: BackgroundJobs): string[] {
  const all = jobs.list({ all: true });
  if (!named) {
    if (action === "kill") throw new Error("kill needs jobs, a list of ids.");
    const isMeant = ({ status, id }: AsyncJob) => action === "list" || status === "running" || !jobs.isKnown(id);
    return all.filter(isMeant).map(({ id }) => id);
  }
  const unknown = named.filter((id) => !all.some((job) => job.id === id));
  if (unknown.length > 0) {
    const known = all.length > 0 ? `The jobs are ${all.map(({ id }) => id).join(", ")}.` : "There are no jobs.";
    throw new Error(`Unknown job: ${unknown.join(", ")}. ${known}`);
  }
  return [...new Set(named)];
}

async function readJob(
  jobs: BackgroundJobs,
  id: string,
  fromByte: number | undefined,
  maxBytes: number,
): Promise<string> {
  const { bytes } = jobs.get(id);
  const part = await jobs.read(id, fromByte ?? Math.max(0, bytes - maxBytes), maxBytes);
  const missing = part.truncated ? " Output before that was not kept." : "";
  const range = `Bytes ${part.fromByte} to ${part.nextByte} of ${bytes}.${missing}`;
  const text = part.text === "" ? ["No output."] : outputLines({ tail: () => part.text }, maxBytes);
  return [jobLine(jobs.get(id)), range, ...text].join("\n");
}

/** Returns the result of a job that has ended, after which it is not reported again. */
function endOf(jobs: BackgroundJobs, id: string, maxBytes: number): string {
  if (jobs.get(id).status === "running") return jobLine(jobs.get(id));
  const { job, output } = jobs.take(id);
  return [jobLine(job), ...outputLines(output, Math.floor(maxBytes))].join("\n");
}
