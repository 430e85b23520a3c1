import type { CustomMessage } from "@pintle/agent";
import { addUsage, cutText, type Usage, zeroUsage } from "@pintle/ai";
import type { AsyncJob } from "@pintle/wire";
import type { JobOutput } from "./job-output.ts";
import { JOB_RESULT_TYPE, type LostJob } from "./job-records.ts";

/** Maximum length of all output in one message. */
const MAX_OUTPUT_CHARS = 12_000;
const MAX_LABEL_CHARS = 500;

export interface ReportedJob {
  job: AsyncJob;
  output: Pick<JobOutput, "tail"> & { readonly path?: string | undefined };
  /** What the models of a subagent have used. */
  usage?: Usage | undefined;
}

/** Describes results to the model. Output is quoted as data. */
export function jobReport(ended: readonly ReportedJob[], lost: readonly LostJob[], timestamp: number): CustomMessage {
  const share = Math.floor(MAX_OUTPUT_CHARS / Math.max(1, ended.length));
  const parts = [
    ...ended.map(({ job, output }) => [headline(job), ...outputLines(output, share)].join("\n")),
    ...lost.map(lostText),
  ];
  const used = ended.flatMap(({ usage }) => usage ?? []);
  const jobs = [
    ...ended.map(({ job, output: { path } }) => ({
      ...detailsOf(job),
      ...(path !== undefined && { outputPath: path }),
    })),
    ...lost.map(lostDetails),
  ];
  return {
    role: "custom",
    customType: JOB_RESULT_TYPE,
    content: `<background_jobs>\n${parts.join("\n\n")}\n</background_jobs>`,
    display: true,
    details: { jobs, ...(used.length > 0 && { usage: sumOf(used) }) },
    attribution: "agent",
    timestamp,
  };
}

/** One line about a job, for lists. */
export function jobLine(job: AsyncJob): string {
  return `${job.id} (${stateText(job)}): ${labelOf(job.label)}`;
}

/** Returns how a job that has ended went, or that it runs. */
export function stateText({ type, status, exitCode, startTime, endTime, service }: AsyncJob): string {
  if (status === "running") return service ? "service, running" : "running";
  const duration = `after ${((endTime ?? startTime) - startTime) / 1000} s`;
  if (status === "cancelled") return `ended ${duration}`;
  if (type === "task") return `${status} ${duration}`;
  return exitCode === undefined ? `timed out ${duration}` : `exit code ${exitCode} ${duration}`;
}

/** Quotes output as data, so that it does not look like an instruction. */
export function outputLines(output: ReportedJob["output"], maxChars: number): string[] {
  const text = output.tail(maxChars).trimEnd();
  const file = output.path === undefined ? [] : [`The full output is in ${output.path}`];
  return [text === "" ? "It wrote no output." : `<output>\n${text}\n</output>`, ...file];
}

function headline(job: AsyncJob): string {
  const [what, label] = job.type === "task" ? ["Subagent", "Task"] : ["Background job", "Command"];
  return `${what} ${job.id} has ended: ${stateText(job)}.\n${label}: ${labelOf(job.label)}`;
}

function sumOf(usages: readonly Usage[]): Usage {
  const total = zeroUsage();
  for (const usage of usages) addUsage(total, usage);
  return total;
}

const labelOf = (label: string) => cutText(label, MAX_LABEL_CHARS);

function detailsOf({ id, type, subagentId, label, status, exitCode, startTime, endTime }: AsyncJob) {
  return {
    jobId: id,
    type,
    label,
    status,
    ...(subagentId !== undefined && { subagentId }),
    ...(exitCode !== undefined && { exitCode }),
    durationMs: (endTime ?? startTime) - startTime,
  };
}

function lostText({ start, end }: LostJob): string {
  if (start.type === "task") return lostTaskText(start, end);
  const command = `Command: ${labelOf(start.label)}`;
  if (!end) return `Background job ${start.jobId} was aborted: pintle ended while it was running.\n${command}`;
  const code = end.exitCode === undefined ? end.status : `exit code ${end.exitCode}`;
  const file = end.outputPath === undefined ? [] : [`Its output is in ${end.outputPath}`];
  return [`Background job ${start.jobId} ended before pintle did: ${code}.`, command, ...file].join("\n");
}

function lostTaskText({ jobId, agent, label }: LostJob["start"], end: LostJob["end"]): string {
  const about = `Task: ${labelOf(label)}`;
  const again = `Continue it with task {"resume": ${JSON.stringify(jobId)}} if its work is still needed.`;
  const name = `Subagent ${jobId}${agent === undefined ? "" : ` (${agent})`}`;
  if (!end) return `${name} was aborted: pintle ended while it was running. ${again}\n${about}`;
  return `${name} ended before pintle did (${end.status}), and its result was not delivered. ${again}\n${about}`;
}

function lostDetails({ start, end }: LostJob) {
  return {
    jobId: start.jobId,
    type: start.type ?? "bash",
    label: start.label,
    status: end?.status ?? "aborted",
    ...(!end && { abortReason: "engine ended" }),
    ...(end?.exitCode !== undefined && { exitCode: end.exitCode }),
    durationMs: end ? end.endTime - start.startTime : 0,
    ...(end?.outputPath !== undefined && { outputPath: end.outputPath }),
  };
}
