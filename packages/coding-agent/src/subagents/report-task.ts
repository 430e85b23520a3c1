import { writeFile } from "node:fs/promises";
import { isSystemError } from "@pintle/foundation";
import type { PendingActionInput } from "../previews/pending-action.ts";
import { outputLimits } from "../tools/shared/truncate.ts";
import type { TaskResult } from "../tools/task/task-details.ts";
import { type ChildOutcome, runChild } from "./child-run.ts";
import type { Delegation } from "./delegation.ts";
import type { PlannedTask } from "./plan-task.ts";
import { structuredOutput } from "./structured-output.ts";
import { cutAnswer, taskText, toTaskResult } from "./task-report.ts";

/** The result of a task, and what the model reads about it. */
export interface ReportedTask {
  text: string;
  result: TaskResult;
  /** The changes of a subagent in the background, staged when the model receives the result. */
  preview?: PendingActionInput;
}

/** What the text about a task has besides its answer. */
const HEAD_BYTES = 400;

/** Runs a task and describes its end. `count` is the number of tasks that share a result. */
export async function reportTask(task: PlannedTask, count: number, delegation: Delegation): Promise<ReportedTask> {
  const { parts } = delegation;
  const outcome = await runPlanned(task, delegation);
  const structured = await structuredOutput(task, outcome);
  const { isDetached } = task.child;
  if (outcome.result && !isDetached) parts.addResult(outcome.result);
  const preview = outcome.changes?.preview;
  if (preview && !isDetached) parts.stage(preview);
  const answer =
    structured?.status === "valid" ? JSON.stringify(structured.data) : (outcome.result?.text?.trim() ?? "");
  const shown = await shorten(answer, count, delegation);
  const result = toTaskResult({ child: task.child, outcome, structured }, shown);
  const text = taskText(result, outcome.changes?.problem);
  return { result, text, ...(preview && isDetached && { preview }) };
}

function runPlanned(task: PlannedTask, { parts, depth }: Delegation): Promise<ChildOutcome> {
  const { child, reporter } = task;
  const { id, agent } = child.facts;
  const { isolation, jobs } = parts;
  const session = parts.session();
  return runChild(task.task, {
    settings: parts.settings,
    reporter,
    takePlace: (signal) => parts.subagents.takePlace(depth + 1, signal),
    open: task.open,
    // A subagent in the background is a job, which is recorded as such.
    recordStart() {
      if (child.isDetached) return;
      const startTime = parts.now();
      const label = child.label;
      jobs.recordStart({ event: "start", jobId: id, sessionId: session.id, label, type: "task", agent, startTime });
    },
    recordEnd(ended) {
      const status = ended === "aborted" ? "cancelled" : ended;
      if (!child.isDetached) jobs.recordEnd({ event: "end", jobId: id, status, endTime: parts.now(), silent: true });
    },
    ...(task.isIsolated &&
      isolation && {
        isolate: (signal) => {
          const { beforeWrite, subagents } = parts;
          return isolation.start({ id, cwd: parts.cwd(), sessionFile: subagents.rootFile, beforeWrite }, signal);
        },
      }),
  });
}

/** Cuts an answer to its share of what the model may receive. The rest is in a file. */
async function shorten(
  answer: string,
  count: number,
  { parts }: Delegation,
): Promise<{ output: string; outputPath: string | undefined }> {
  const share = Math.max(HEAD_BYTES, Math.floor(outputLimits(parts.settings).maxBytes / count) - HEAD_BYTES);
  const output = cutAnswer(answer, share);
  if (output === answer) return { output, outputPath: undefined };
  try {
    const outputPath = await parts.newSpillPath();
    await writeFile(outputPath, answer, { mode: 0o600 });
    return { output, outputPath };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { output: `${output}\n[The rest could not be stored: ${error.message}]`, outputPath: undefined };
  }
}
