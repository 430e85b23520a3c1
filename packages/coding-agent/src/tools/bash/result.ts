import type { ToolResult } from "@pintle/agent";
import type { ShellEnd, ShellResult } from "../../processes/shell/shell-command.ts";
import { formatBytes, type OutputLimits, outputLimits, type Truncation } from "../shared/truncate.ts";

export interface BashDetails {
  /** Absent when the command was stopped before it ended. */
  exitCode?: number;
  truncation?: Truncation;
  fullOutputPath?: string;
  durationMs: number;
}

/** What says why a command failed is often the first thing it wrote. */
const HEAD_SHARE = 0.25;

export function commandLimits(settings: Parameters<typeof outputLimits>[0]): OutputLimits & { headShare: number } {
  return { ...outputLimits(settings), headShare: HEAD_SHARE };
}

interface Circumstances {
  /** The user wanted to be heard, which is why a command was stopped. */
  isSteered?: boolean;
  /** A line on why it may have failed. */
  hint?: string | undefined;
}

export function toToolResult(
  result: ShellResult,
  limits: OutputLimits,
  { isSteered = false, hint }: Circumstances = {},
): ToolResult<BashDetails> {
  const { end, fullOutputPath } = result;
  const ending = describeEnd(end, isSteered);
  const shown = result.omitted ? withCut(result, result.omitted) : result.output;
  // Providers refuse a text of nothing but white space.
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

/** Nothing for a command that did what it should. */
function describeEnd(end: ShellEnd, isSteered: boolean): string[] {
  if (end.kind === "timed_out") return [`Command timed out after ${end.seconds} seconds`];
  if (end.kind === "cancelled") {
    return [isSteered ? "Command stopped because of a queued user message" : "Command aborted"];
  }
  if (end.exitCode === 0) return [];
  const killed = end.kind === "signalled" ? `Command was killed by signal ${end.signal}\n` : "";
  return [`${killed}Command exited with code ${end.exitCode}`];
}

/** The beginning, what is missing there and where it is, the end. */
function withCut(result: ShellResult, omitted: { lines: number; bytes: number }): string {
  const { head = "", output } = result;
  const lines = omitted.lines === 1 ? "1 line" : `${omitted.lines} lines`;
  const size = formatBytes(Math.max(0, omitted.bytes));
  const amount = omitted.lines > 0 ? `${lines} (${size})` : size;
  const separator = head === "" || head.endsWith("\n") ? "" : "\n";
  return `${head}${separator}[${amount} left out here. ${describeWhole(result)}]\n${output}`;
}

function describeWhole({ fullOutputPath, isFullOutputCapped, spillError }: ShellResult): string {
  if (fullOutputPath !== undefined) {
    return isFullOutputCapped
      ? `The output was too long to keep; its beginning is in ${fullOutputPath}`
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
