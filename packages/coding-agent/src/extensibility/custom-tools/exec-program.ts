import { constants } from "node:os";
import { exitWithin, OutputReader, OutputTail, StartError } from "@pintle/exec";
import type { Child, ChildExit, ProcessRunner } from "@pintle/exec/processes";
import type { ExecResult } from "../api/tool-types.ts";

/** Limit per output. Generous, because callers parse the output, but small enough for many to be held in memory. */
export const MAX_EXEC_BYTES = 8 * 1024 * 1024;
const CODE_NOT_STARTED = 127;
const CODE_TERMINATED = 128 + constants.signals.SIGTERM;

/** Runs a program to its end, without a shell and without stdin. Throws only for invalid arguments. */
export async function execProgram(
  processRunner: ProcessRunner,
  command: readonly [string, ...string[]],
  options: { cwd: string; signal?: AbortSignal | undefined; timeout?: number | undefined },
): Promise<ExecResult> {
  const { cwd, signal, timeout } = options;
  if (signal?.aborted) return { stdout: "", stderr: "", code: CODE_TERMINATED, killed: true };
  let child: Child;
  try {
    child = processRunner.start({ command, cwd, stderr: "separate" });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { stdout: "", stderr: `${error.message}\n`, code: CODE_NOT_STARTED, killed: false };
  }
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr ?? child.stdout);
  const exit = await exitWithin(child, { timeoutMs: timeout, signal });
  await Promise.all([stdout.reader.drain(), stderr.reader.drain()]);
  return {
    stdout: stdout.text(),
    stderr: stderr.text(),
    code: codeOf(exit),
    killed: exit.stoppedFor !== undefined,
    ...((stdout.isCut() || stderr.isCut()) && { truncated: true as const }),
  };
}

function collect(output: Child["stdout"]) {
  const tail = new OutputTail(MAX_EXEC_BYTES);
  const reader = new OutputReader(output, (chunk) => {
    tail.append(chunk);
    return undefined;
  });
  return {
    reader,
    isCut: () => tail.totalBytes > MAX_EXEC_BYTES,
    text: () => new TextDecoder().decode(tail.bytes()),
  };
}

function codeOf({ code, signal }: ChildExit): number {
  if (code !== undefined) return code;
  return 128 + (typeof signal === "number" ? signal : constants.signals[signal ?? "SIGKILL"]);
}
