import { errorText } from "@pintle/ai";
import type { SpillTarget } from "@pintle/exec";
import {
  OutputCollector,
  type OutputLimits,
  type ShellEnd,
  type ShellResult,
  toShellResult,
} from "@pintle/exec/processes";
import type { BashOperations } from "../session-hooks.ts";

export interface OperationsRequest {
  command: string;
  cwd: string;
  limits: OutputLimits;
  signal?: AbortSignal;
  /** Seconds. */
  timeout?: number | undefined;
  env?: Record<string, string | undefined>;
  spill?: SpillTarget | undefined;
  /** Told after each piece of output, with the end of what there is. */
  onOutput?(end: string): void;
  /** Receives each piece of output. Must not throw. */
  onChunk?: ((chunk: Uint8Array) => unknown) | undefined;
}

const SHOWN_BYTES = 8 * 1024;

/** Runs a command where an extension wants it; the result is that of a command run here. */
export async function runBashOperations(operations: BashOperations, request: OperationsRequest): Promise<ShellResult> {
  const { command, cwd, limits, signal, timeout, env, spill, onOutput, onChunk } = request;
  const startedAt = performance.now();
  const collector = new OutputCollector(limits, spill);
  let isOver = false;
  const onData = (data: Uint8Array | string) => {
    if (isOver) return;
    const chunk = typeof data === "string" ? Buffer.from(data) : data;
    // A disk failure is reported with the result, not here.
    void collector.append(chunk);
    onChunk?.(chunk);
    onOutput?.(collector.peek(SHOWN_BYTES));
  };
  let end: ShellEnd;
  try {
    const { exitCode } = await operations.exec(command, cwd, {
      onData,
      ...(signal && { signal }),
      ...(timeout !== undefined && { timeout }),
      ...(env && { env }),
    });
    end = exitCode === null ? { kind: "cancelled" } : { kind: "exited", exitCode };
  } catch (error) {
    end = endOf(error, signal);
  }
  isOver = true;
  return toShellResult(await collector.finish(), end, performance.now() - startedAt);
}

/** Operations say by the text of an error that a command was stopped. Throws any other. */
function endOf(error: unknown, signal: AbortSignal | undefined): ShellEnd {
  const text = errorText(error);
  const seconds = /^timeout:(\d+(?:\.\d+)?)$/.exec(text)?.[1];
  if (seconds !== undefined) return { kind: "timed_out", seconds: Number(seconds) };
  if (signal?.aborted || text === "aborted") return { kind: "cancelled" };
  throw error;
}
