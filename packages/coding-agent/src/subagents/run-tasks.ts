import { writeFile } from "node:fs/promises";
import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { errorText, onAbort, type Usage, zeroUsage } from "@pintle/ai";
import { projectAgentsFolder } from "../agents/agent-places.ts";
import { outputLimits } from "../tools/shared/truncate.ts";
import type { TaskDetails, TaskResult } from "../tools/task/task-details.ts";
import { addUsage } from "./child.ts";
import { type ChildOutcome, runChild } from "./child-run.ts";
import type { Delegation } from "./delegation.ts";
import { type PlannedTask, planTask } from "./plan-task.ts";
import { readTasks, type TaskRequest } from "./read-tasks.ts";
import { structuredOutput } from "./structured-output.ts";
import { cutAnswer, failedResult, taskText, toTaskResult } from "./task-report.ts";
import { Throttle } from "./throttle.ts";

/** A task that cannot start. Its siblings do. */
interface RefusedTask {
  request: TaskRequest;
  reason: string;
}

interface ReportedTask {
  text: string;
  result: TaskResult;
}

const PROGRESS_MS = 250;
/** What the text about a task has besides its answer. */
const HEAD_BYTES = 400;

/** Runs the tasks of one call, all at once, and resolves when the last one has ended. Throws before any has started. */
export async function runTasks(
  args: Readonly<Record<string, unknown>>,
  call: ToolInvocation,
  delegation: Delegation,
): Promise<ToolResult<TaskDetails>> {
  const { parts } = delegation;
  const startedAt = parts.now();
  const requests = await readTasks(args);
  await parts.subagents.loadAgents();
  const details = (results: TaskResult[]): TaskDetails => ({
    projectAgentsDir: projectAgentsFolder(parts.cwd()),
    results,
    totalDurationMs: parts.now() - startedAt,
  });
  const update = new Throttle(() => {
    const progress = planned.flatMap((task) => ("child" in task ? [task.child.progress] : []));
    call.update({ content: [], details: { ...details([]), progress } });
  }, PROGRESS_MS);
  const onProgress = () => update.request();
  let planned: readonly (PlannedTask | RefusedTask)[] = [];
  planned = await Promise.all(requests.map((request) => planOrRefuse(request, { call, onProgress }, delegation)));
  const forget = onAbort(call.signal, () => {
    for (const task of planned) {
      if ("child" in task) void parts.subagents.end(task.child, "the run that waited for it was ended"); // does not reject
    }
  });
  const reported = await Promise.all(planned.map((task) => report(task, requests.length, delegation)));
  forget();
  update.flush();
  const results = reported.map(({ result }) => result);
  return {
    content: reported.map(({ text }) => ({ type: "text", text })),
    details: { ...details(results), usage: totalUsage(results) },
    ...(results.every(({ status }) => status !== "completed") && { isError: true }),
  };
}

async function planOrRefuse(
  request: TaskRequest,
  options: Parameters<typeof planTask>[1],
  delegation: Delegation,
): Promise<PlannedTask | RefusedTask> {
  try {
    return await planTask(request, options, delegation);
  } catch (error) {
    return { request, reason: errorText(error) };
  }
}

/** Runs a task and describes its end to the model. */
async function report(task: PlannedTask | RefusedTask, count: number, delegation: Delegation): Promise<ReportedTask> {
  if ("reason" in task) {
    const result = failedResult(task.request, task.reason);
    return { result, text: `Task ${task.request.index + 1} was not started: ${task.reason}` };
  }
  const outcome = await runPlanned(task, delegation);
  const structured = await structuredOutput(task, outcome);
  const { parts } = delegation;
  if (outcome.result) parts.addResult(outcome.result);
  if (outcome.changes?.preview) parts.stage(outcome.changes.preview);
  const answer = structured?.status === "valid" ? JSON.stringify(structured.data) : answerOf(outcome);
  const shown = await shorten(answer, count, delegation);
  const result = toTaskResult({ child: task.child, outcome, structured }, shown);
  return { result, text: taskText(result, outcome.changes?.problem) };
}

function runPlanned(task: PlannedTask, { parts, depth }: Delegation): Promise<ChildOutcome> {
  const { child, reporter, request } = task;
  const { id, agent } = child.facts;
  const { isolation } = parts;
  const session = parts.session();
  const label = child.facts.description ?? request.task;
  return runChild(task.task, {
    settings: parts.settings,
    reporter,
    takePlace: (signal) => parts.subagents.takePlace(depth + 1, signal),
    open: parts.open,
    recordStart() {
      parts.jobs.recordTask({
        event: "start",
        jobId: id,
        sessionId: session.id,
        label,
        type: "task",
        agent,
        startTime: parts.now(),
      });
    },
    recordEnd(status) {
      const ended = status === "aborted" ? "cancelled" : status;
      try {
        parts.jobs.recordTask({ event: "end", jobId: id, status: ended, endTime: parts.now(), silent: true });
      } catch {
        // The session store reports that it cannot write. The subagent has ended anyway.
      }
    },
    ...(task.isIsolated &&
      isolation && {
        isolate: (signal) => isolation.start({ id, cwd: parts.cwd(), sessionFile: session.file }, signal),
      }),
  });
}

const answerOf = ({ result }: ChildOutcome) => result?.text?.trim() ?? "";

/** Cuts an answer to its share of what the model may receive. The rest is in a file. */
async function shorten(
  answer: string,
  count: number,
  { parts }: Delegation,
): Promise<{ output: string; outputPath: string | undefined }> {
  const share = Math.max(HEAD_BYTES, Math.floor(outputLimits(parts.settings).maxBytes / count) - HEAD_BYTES);
  const output = cutAnswer(answer, share);
  if (output === answer) return { output, outputPath: undefined };
  const outputPath = await parts.newSpillPath();
  await writeFile(outputPath, answer, { mode: 0o600 });
  return { output, outputPath };
}

function totalUsage(results: readonly TaskResult[]): Usage {
  const total = zeroUsage();
  for (const { usage } of results) if (usage) addUsage(total, usage);
  return total;
}
