import type { ToolResult } from "@pintle/agent";
import type { ShellEnd, ShellResult } from "@pintle/exec/processes";
import type { AsyncJob } from "@pintle/wire";
import { formatBytes, type OutputLimits, outputLimits, type Truncation } from "../shared/truncate.ts";

export interface BashDetails {
  /** Absent if the command was stopped. */
  exitCode?: number;
  truncation?: Truncation;
  fullOutputPath?: string;
  durationMs: number;
  /** Set if the command continues as a background job. */
  async?: { state: "running"; jobId: string; type: "bash" };
}

/** Share of the beginning: the cause of a failure is often in the first lines. */
const HEAD_SHARE = 0.25;

export function commandLimits(settings: Parameters<typeof outputLimits>[0]): OutputLimits & { headShare: number } {
  const { maxLines, maxBytes } = outputLimits(settings);
  return {
    maxLines,
    maxBytes: Math.min(maxBytes, settings.get("tools.maxCommandOutputBytes")),
    headShare: HEAD_SHARE,
  };
}

interface Circumstances {
  /** A line that suggests why the command may have failed. */
  hint?: string | undefined;
  /** Whether the user aborted the run. */
  isInterrupted?: boolean;
  /** Whether the command ran in a sandbox. */
  isSandboxed?: boolean;
}

export function toToolResult(
  result: ShellResult,
  limits: OutputLimits,
  circumstances: Circumstances = {},
): ToolResult<BashDetails> {
  const { hint } = circumstances;
  const { end, fullOutputPath } = result;
  const ending = describeEnd(end, circumstances);
  const shown = result.omitted ? withCut(result, result.omitted) : result.output;
  // Providers refuse strings of only white space.
  const isBlank = shown.trim() === "";
  const output = isBlank ? "(no output)" : shown;
  const isSilentStop = isBlank && !("exitCode" in end);
  const remarks = [...ending, ...(hint ? [hint] : [])];
  const text = isSilentStop ? remarks.join("\n\n") : [withoutLastNewline(output, remarks), ...remarks].join("\n\n");
  return {
    content: [{ type: "text", text }],
    details: {
      ...("exitCode" in end && { exitCode: end.exitCode }),
      ...(result.truncated && { truncation: toTruncation(result, limits) }),
      ...(fullOutputPath !== undefined && { fullOutputPath }),
      durationMs: Math.round(result.durationMs),
    },
    ...(ending.length > 0 && { isError: true }),
  };
}

/** Returns the result of a call whose command continues as a background job. */
export function startedResult({ job, outputSoFar }: { job: AsyncJob; outputSoFar: string }): ToolResult<BashDetails> {
  const soFar = outputSoFar.trim() === "" ? [] : [outputSoFar.trimEnd()];
  const next = job.service
    ? "You are informed if it fails."
    : "Its result is reported to you when it ends, so continue with other work.";
  const text = `Running in the background as ${job.id}. ${next} Use the job tool to read its output or to end it.`;
  return {
    content: [{ type: "text", text: [...soFar, text].join("\n\n") }],
    details: { durationMs: 0, async: { state: "running", jobId: job.id, type: "bash" } },
  };
}

const AFTER_TIMEOUT = "It was stopped. If it needs more time, set a higher timeout (at most 3600)";
/** Not suggested in a sandbox, which ends everything that a command started. */
const IN_BACKGROUND = ", or run it in the background: `nohup COMMAND > out.log 2>&1 &`, and read out.log later";

/** Returns an empty string for a command that succeeded. */
function describeEnd(end: ShellEnd, { isInterrupted = false, isSandboxed = false }: Circumstances): string[] {
  if (end.kind === "timed_out")
    return [`Command timed out after ${end.seconds} seconds\n${AFTER_TIMEOUT}${isSandboxed ? "" : IN_BACKGROUND}.`];
  if (end.kind === "cancelled") return [isInterrupted ? "Interrupted by the user." : "Command aborted"];
  if (end.kind === "ended_elsewhere") return ["Command was ended by the host"];
  if (end.exitCode === 0) return [];
  const killed = end.kind === "signalled" ? `Command was killed by signal ${end.signal}\n` : "";
  return [`${killed}Command exited with code ${end.exitCode}`];
}

/** Returns the beginning, a note about where the omitted part is, and the end. */
function withCut(result: ShellResult, omitted: { lines: number; bytes: number }): string {
  const { head = "", output } = result;
  const lines = omitted.lines === 1 ? "1 line" : `${omitted.lines} lines`;
  const size = formatBytes(Math.max(0, omitted.bytes));
  const amount = omitted.lines > 0 ? `${lines} (${size})` : size;
  const separator = head === "" || head.endsWith("\n") ? "" : "\n";
  return `${head}${separator}[${amount} omitted here. ${describeWhole(result)}]\n${output}`;
}

function describeWhole({ fullOutputPath, isFullOutputCapped, spillError }: ShellResult): string {
  if (fullOutputPath !== undefined) {
    return isFullOutputCapped
      ? `The output was too long to keep. Its beginning is in ${fullOutputPath}`
      : `Full output: ${fullOutputPath}`;
  }
  return spillError ? `The full output could not be kept: ${spillError.message}` : "The full output was not kept.";
}

function toTruncation(result: ShellResult, { maxLines, maxBytes }: OutputLimits): Truncation {
  const { outputLines, outputBytes, totalLines, totalBytes } = result;
  const truncatedBy = outputLines >= maxLines ? "lines" : "bytes";
  return { truncated: true, truncatedBy, totalLines, totalBytes, outputLines, outputBytes, maxLines, maxBytes };
}

function withoutLastNewline(text: string, followers: readonly string[]): string {
  return followers.length > 0 && text.endsWith("\n") ? text.slice(0, -1) : text;
}
