import { errorText } from "@pintle/ai";
import {
  OutputCollector,
  type ProcessRunner,
  runShellCommand,
  type ShellCommand,
  type ShellEnd,
  type ShellResult,
  toShellResult,
} from "@pintle/exec/processes";
import type { HostCall, HostTerminal } from "../host-workplace.ts";

/** A command, and how its output is collected. */
export type CommandRequest = Omit<ShellCommand, "shellPath" | "shellPrefix" | "wrap">;

/** Runs a command to its end, wherever that is. Throws if nothing was started. */
export type CommandRunner = (request: CommandRequest) => Promise<ShellResult>;

/** Runs commands in a shell of this machine, in the sandbox if `wrap` is set. */
export function onThisMachine(
  processRunner: ProcessRunner,
  shell: Pick<ShellCommand, "shellPath" | "shellPrefix" | "wrap"> = {},
): CommandRunner {
  return (request) => runShellCommand(processRunner, { ...request, ...shell });
}

/** Runs commands in the terminal of the host, which has no sandbox. */
export function inHostTerminal(terminal: HostTerminal, call: HostCall, shellPrefix: string | undefined): CommandRunner {
  return async ({ command, cwd, env = {}, timeoutMs = 0, limits, spill }) => {
    const startedAt = performance.now();
    const collector = new OutputCollector(limits, spill);
    const script = shellPrefix ? `${shellPrefix}\n${command}` : command;
    const variables = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const request = { command: script, cwd, env: Object.fromEntries(variables), timeoutMs };
    const { output, exitCode } = await terminal.run(request, call);
    await collector.append(Buffer.from(output));
    const end: ShellEnd = exitCode === undefined ? { kind: "ended_elsewhere" } : { kind: "exited", exitCode };
    return toShellResult(await collector.finish(), end, performance.now() - startedAt);
  };
}

/** How an extension runs shell commands elsewhere. Exit code null means that the command was stopped. */
export interface BashOperations {
  exec(
    command: string,
    cwd: string,
    options: {
      onData(data: Uint8Array): void;
      signal?: AbortSignal;
      /** Seconds. */
      timeout?: number;
      env?: Record<string, string | undefined>;
    },
  ): Promise<{ exitCode: number | null }>;
}

const SHOWN_BYTES = 8 * 1024;

/** Runs commands at the place that an extension chooses. */
export function byExtension(operations: BashOperations): CommandRunner {
  return async ({ command, cwd, limits, signal, timeoutMs, env, spill, onUpdate, onChunk }) => {
    const startedAt = performance.now();
    const collector = new OutputCollector(limits, spill);
    let isOver = false;
    const onData = (data: Uint8Array | string) => {
      if (isOver) return;
      const chunk = typeof data === "string" ? Buffer.from(data) : data;
      // A disk failure is reported with the result, not here.
      void collector.append(chunk);
      void onChunk?.(chunk); // never rejects; an extension cannot be slowed down
      onUpdate?.(collector.peek(SHOWN_BYTES));
    };
    let end: ShellEnd;
    try {
      const { exitCode } = await operations.exec(command, cwd, {
        onData,
        ...(signal && { signal }),
        ...(timeoutMs !== undefined && { timeout: timeoutMs / 1000 }),
        ...(env && { env }),
      });
      end = exitCode === null ? { kind: "cancelled" } : { kind: "exited", exitCode };
    } catch (error) {
      end = endOf(error, signal);
    }
    isOver = true;
    return toShellResult(await collector.finish(), end, performance.now() - startedAt);
  };
}

/** Operations report in the text of an error that a command was stopped. Throws any other error. */
function endOf(error: unknown, signal: AbortSignal | undefined): ShellEnd {
  const text = errorText(error);
  const seconds = /^timeout:(\d+(?:\.\d+)?)$/.exec(text)?.[1];
  if (seconds !== undefined) return { kind: "timed_out", seconds: Number(seconds) };
  if (signal?.aborted || text === "aborted") return { kind: "cancelled" };
  throw error;
}
