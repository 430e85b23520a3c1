import type { BashResult } from "@pintle/wire";
import { keepTail, type TailLimits } from "../output/terminal-text.ts";
import type { ShellEnd, ShellResult } from "./shell-command.ts";

/** Limits of the output that the command `bash` returns. */
export const BASH_LIMITS: TailLimits = { maxLines: 3000, maxBytes: 50 * 1024 };

/** Converts the result. The last line of a stopped command says so; the output including that line is within the limits. */
export function toBashResult(result: ShellResult, limits: TailLimits = BASH_LIMITS): BashResult {
  const { end, totalLines, totalBytes, fullOutputPath } = result;
  const notice = noticeOf(end);
  const kept = keepTail(result.output, {
    maxLines: limits.maxLines - (notice ? 1 : 0),
    maxBytes: limits.maxBytes - (notice ? notice.length + 1 : 0),
  });
  const output = notice ? `${kept.text}${isUnfinished(kept.text) ? "\n" : ""}${notice}` : kept.text;
  return {
    output,
    ...("exitCode" in end && { exitCode: end.exitCode }),
    cancelled: notice !== undefined,
    truncated: result.truncated || kept.isCut,
    totalLines,
    totalBytes,
    outputLines: kept.lines + (notice ? 1 : 0),
    outputBytes: Buffer.byteLength(output),
    ...(fullOutputPath !== undefined && { fullOutputPath }),
  };
}

function noticeOf(end: ShellEnd): string | undefined {
  if (end.kind === "cancelled") return "Command cancelled";
  if (end.kind === "timed_out") return `Command timed out after ${end.seconds} seconds`;
  return undefined;
}

function isUnfinished(text: string): boolean {
  return text !== "" && !text.endsWith("\n");
}
