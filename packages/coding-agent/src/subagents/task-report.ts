import { cutText } from "@pintle/ai";
import { cutToBytes } from "@pintle/foundation";
import type { FileSummary } from "@pintle/wire";
import type { StructuredOutput, TaskResult } from "../tools/task/task-details.ts";
import type { Child } from "./child.ts";
import type { ChildOutcome } from "./child-run.ts";
import type { TaskRequest } from "./read-tasks.ts";

const MAX_FILES_SHOWN = 20;
const MAX_ERROR = 2_000;

export interface EndedTask {
  child: Child;
  outcome: ChildOutcome;
  structured: StructuredOutput | undefined;
}

/** Returns the result of one task. `output` is the part of its answer that the model receives. */
export function toTaskResult(
  { child, outcome, structured }: EndedTask,
  { output, outputPath }: { output: string; outputPath: string | undefined },
): TaskResult {
  const { id, index, agent, agentSource, task } = child.facts;
  const { result, modelName, filesChanged, changes } = outcome;
  const isStrictFailure = structured !== undefined && structured.mode === "strict" && structured.status !== "valid";
  const isLenientSuccess = structured !== undefined && structured.mode === "permissive" && result?.endedBy === "output";
  const status = isLenientSuccess
    ? "completed"
    : isStrictFailure && outcome.status === "completed"
      ? "failed"
      : outcome.status;
  const error = status === "completed" ? undefined : (outcome.error ?? structured?.error);
  return {
    index,
    id,
    agent,
    agentSource,
    task,
    status,
    exitCode: status === "completed" ? 0 : 1,
    output,
    stderr: "",
    truncated: outputPath !== undefined,
    durationMs: child.durationMs,
    tokens: child.tokens,
    requests: child.requests,
    usage: result?.usage ?? child.usage,
    cost: result?.cost === undefined ? child.cost : result.cost,
    filesChanged,
    ...(error !== undefined && { error: cutText(error, MAX_ERROR) }),
    ...(status === "aborted" && { aborted: true as const, ...(error !== undefined && { abortReason: error }) }),
    ...(outputPath !== undefined && { outputPath }),
    ...(structured && { structuredOutput: structured }),
    ...(changes?.patchPath !== undefined && { patchPath: changes.patchPath }),
    ...(modelName !== undefined && { resolvedModel: modelName }),
    ...(child.sessionFile !== undefined && { sessionFile: child.sessionFile }),
  };
}

/** Returns the result of a task that could not start. */
export function failedResult({ index, task, agent, name, resume }: TaskRequest, error: string): TaskResult {
  return {
    index,
    id: resume ?? name ?? "",
    agent: agent ?? "task",
    agentSource: "bundled",
    task,
    status: "failed",
    exitCode: 1,
    output: "",
    stderr: "",
    truncated: false,
    durationMs: 0,
    tokens: 0,
    requests: 0,
    cost: 0,
    filesChanged: [],
    error,
  };
}

/** Describes the end of a task to the model that started it. */
export function taskText(result: TaskResult, problem?: string): string {
  const { id, agent, status, output, outputPath, error, filesChanged, structuredOutput, patchPath } = result;
  const seconds = (result.durationMs / 1000).toFixed(1);
  const cost = result.cost === null ? "price unknown" : `$${result.cost.toFixed(4)}`;
  const calls = `${result.requests} model call${result.requests === 1 ? "" : "s"}`;
  const structured = structuredOutput && structuredText(structuredOutput);
  return [
    `Subagent ${id} (${agent}): ${status} after ${seconds} s, ${calls}, ${cost}.`,
    ...(error === undefined ? [] : [`${status === "aborted" ? "Ended early" : "Error"}: ${error}`]),
    ...(structured === undefined ? [] : [structured]),
    ...(output === "" ? ["It returned no answer."] : [`<answer>\n${output}\n</answer>`]),
    ...(outputPath === undefined ? [] : [`The answer was cut. All of it is in ${outputPath}`]),
    ...(filesChanged.length === 0 ? [] : [`Changed files: ${filesText(filesChanged)}`]),
    ...(patchPath === undefined ? [] : [`Its changes are not applied yet. The patch is in ${patchPath}`]),
    ...(problem === undefined ? [] : [problem]),
  ].join("\n");
}

/** Returns the beginning of an answer that fits, at the end of a line if there is one. */
export function cutAnswer(text: string, maxBytes: number): string {
  const cut = cutToBytes(text, maxBytes);
  if (cut === text) return text;
  const line = cut.lastIndexOf("\n");
  return line > cut.length / 2 ? cut.slice(0, line) : cut;
}

function structuredText({ status, error }: StructuredOutput): string | undefined {
  if (status === "valid") return undefined;
  return `Its result ${status === "invalid" ? "does not match the schema" : "is missing"}${error === undefined ? "" : `: ${cutText(error, MAX_ERROR)}`}`;
}

function filesText(files: readonly FileSummary[]): string {
  const shown = files.slice(0, MAX_FILES_SHOWN).map(({ path, status, added, removed, binary }) => {
    const size = binary ? "binary" : `+${added} -${removed}`;
    return `${path} (${status}, ${size})`;
  });
  const more = files.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
