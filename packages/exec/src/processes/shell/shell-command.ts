import { constants } from "node:os";
import { basename } from "node:path";
import { onAbort } from "@pintle/ai";
import type { Environment } from "../child/child-environment.ts";
import { type ExitLimits, exitWithin } from "../exit-within.ts";
import type { OutputLimits } from "../output/kept-ends.ts";
import { type CollectedOutput, OutputCollector } from "../output/output-collector.ts";
import { OutputReader } from "../output/output-reader.ts";
import type { SpillTarget } from "../output/output-spill.ts";
import { UpdateThrottle } from "../output/update-throttle.ts";
import type { Child, ChildExit, ProcessRunner, StartRequest } from "../process-runner.ts";
import { chooseShell } from "./shell-choice.ts";

const DEFAULT_TIMEOUT_MS = 300_000;
const MIN_TIMEOUT_MS = 1_000;
const MAX_TIMEOUT_MS = 3_600_000;
const UPDATE_INTERVAL_MS = 100;
const UPDATE_BYTES = 8 * 1024;

export interface ShellCommand {
  command: string;
  cwd: string;
  env?: Environment;
  /** Clamped to between 1 s and 1 h; default 300 s. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Receives the end of the output so far (at most 8 KiB), at most every 100 ms and never after the result. Must not
   * throw.
   */
  onUpdate?: ((end: string) => void) | undefined;
  /** Receives every chunk of output as it arrives. Returning a promise slows the command down. Must not throw. */
  onChunk?: ((chunk: Uint8Array) => Promise<void> | undefined) | undefined;
  /** Called immediately before the command starts. If it throws, nothing is started. */
  onStart?: (() => void) | undefined;
  /** The configured shell; must exist if given. */
  shellPath?: string | undefined;
  /** Shell code that runs before the command, in the same shell. */
  shellPrefix?: string | undefined;
  /** Returns how to start the shell in a sandbox; the program passed to it has an absolute path. */
  wrap?: WrapStart | undefined;
  /** Where to store output that exceeds the limits; without it the rest is lost. */
  spill?: SpillTarget | undefined;
  /**
   * Set for a command that may become a background job. A job lasts until nothing that it started is left, and its time is
   * limited only if the caller asked for a limit.
   */
  background?: { readonly isJob: boolean; readonly isLimited: boolean } | undefined;
  limits: OutputLimits;
}

type Start = Pick<StartRequest, "command" | "cwd"> & { env: Environment };

type WrappedStart = Start & Pick<StartRequest, "isSupervised" | "descriptors"> & { afterwards?: () => void };

/** Throws StartError if the command must not be started. `afterwards` is called when it has ended, or could not be started. */
export type WrapStart = (start: Start) => Promise<Omit<WrappedStart, "cwd">>;

export type ShellEnd =
  | { kind: "exited"; exitCode: number }
  /** Killed by a signal that was not ours; the code is what a shell would report. */
  | { kind: "signalled"; signal: NodeJS.Signals | number; exitCode: number }
  | { kind: "timed_out"; seconds: number }
  /** Stopped by the caller's signal, a session change or the end of pintle. */
  | { kind: "cancelled" }
  /** The program that ran the command instead of pintle reported no exit code. */
  | { kind: "ended_elsewhere" };

export interface ShellResult {
  /** Plain text as a terminal would show it: all of it, or the end. */
  output: string;
  /** The start of the output, if something between the two is omitted. */
  head?: string;
  end: ShellEnd;
  truncated: boolean;
  /** The number of lines that a terminal would show, and of bytes that the command wrote. */
  totalLines: number;
  totalBytes: number;
  /** Size of what is shown. */
  outputLines: number;
  outputBytes: number;
  /** Set if the output is truncated. */
  omitted?: { lines: number; bytes: number };
  /** The whole output, resolved like `output`, if it was truncated and could be stored. */
  fullOutputPath?: string;
  /** True if that file ends at its size limit. */
  isFullOutputCapped: boolean;
  /** Why there is no such file. */
  spillError?: Error;
  durationMs: number;
}

/** Runs a command to its end. Throws StartError if nothing was started (no such directory or shell), and otherwise never. */
export async function runShellCommand(processRunner: ProcessRunner, request: ShellCommand): Promise<ShellResult> {
  const { signal, limits, spill, onUpdate, onChunk } = request;
  const startedAt = performance.now();
  const collector = new OutputCollector(limits, spill);
  const timeoutMs = clampTimeout(request.timeoutMs);
  if (signal?.aborted) return toShellResult(await collector.finish(), { kind: "cancelled" }, 0);

  const { afterwards, ...start } = await toStart(processRunner, request);
  if (signal?.aborted) {
    afterwards?.();
    return toShellResult(await collector.finish(), { kind: "cancelled" }, 0);
  }
  const child = startOr(() => {
    request.onStart?.();
    return processRunner.start({ ...start, stderr: "merge" });
  }, afterwards);
  const updates = new UpdateThrottle(() => onUpdate?.(collector.peek(UPDATE_BYTES)), UPDATE_INTERVAL_MS);
  const reader = new OutputReader(child.stdout, (chunk) => {
    const taken = collector.append(chunk);
    if (onUpdate) updates.notify();
    const passedOn = onChunk?.(chunk);
    return taken && passedOn ? Promise.all([taken, passedOn]).then(() => {}) : (taken ?? passedOn);
  });
  const { background } = request;
  const isLimited = () => !background?.isJob || background.isLimited;
  const exit = await exitWithin(child, { timeoutMs, signal, isLimited });
  if (background?.isJob) {
    // The shell of `command &` exits at once, although the command still runs.
    const msLeft = startedAt + timeoutMs - performance.now();
    if (await endWithGroup(child, { timeoutMs: background.isLimited ? msLeft : undefined, signal })) {
      exit.stoppedFor ??= "timed_out";
    }
  }
  await reader.drain();
  afterwards?.();
  updates.cancel();
  const output = await collector.finish();
  return toShellResult(output, toEnd(exit, timeoutMs), performance.now() - startedAt);
}

/**
 * Waits until nothing that the child started is left. Ends the rest when the signal is aborted or the time is up, and returns
 * whether it was the time.
 */
async function endWithGroup(child: Child, { timeoutMs, signal }: ExitLimits): Promise<boolean> {
  let isTimeUp = false;
  const stop = () => {
    isTimeUp = true;
    child.stop("timed_out");
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(stop, Math.max(0, timeoutMs));
  const forget = onAbort(signal, () => child.stop("aborted"));
  await child.gone;
  clearTimeout(timer);
  forget();
  return isTimeUp;
}

function startOr<T>(start: () => T, onFailure: (() => void) | undefined): T {
  try {
    return start();
  } catch (error) {
    onFailure?.();
    throw error;
  }
}

function clampTimeout(ms: number | undefined): number {
  if (ms === undefined || Number.isNaN(ms)) return DEFAULT_TIMEOUT_MS;
  return Math.min(Math.max(ms, MIN_TIMEOUT_MS), MAX_TIMEOUT_MS);
}

async function toStart(processRunner: ProcessRunner, request: ShellCommand): Promise<WrappedStart> {
  const { command, cwd, env = {}, shellPath, shellPrefix, wrap } = request;
  const shell = chooseShell(processRunner, cwd, shellPath);
  const script = withoutOptions(shellPrefix ? `${shellPrefix}\n${command}` : command);
  // The last argument is the shell's name in its error messages.
  const start: Start = { command: [shell, "-c", script, basename(shell)], cwd, env };
  return { ...start, ...(await wrap?.(start)) };
}

/** A shell would treat a script that starts with a dash as an option. Not all shells support `--` after `-c`. */
function withoutOptions(script: string): string {
  return /^[-+]/.test(script) ? ` ${script}` : script;
}

function toEnd({ code, signal, stoppedFor }: ChildExit, timeoutMs: number): ShellEnd {
  if (stoppedFor === "timed_out") return { kind: "timed_out", seconds: timeoutMs / 1000 };
  if (stoppedFor) return { kind: "cancelled" };
  if (signal === undefined) return { kind: "exited", exitCode: code ?? 0 };
  const number = typeof signal === "number" ? signal : constants.signals[signal];
  return { kind: "signalled", signal, exitCode: 128 + number };
}

export function toShellResult(collected: CollectedOutput, end: ShellEnd, durationMs: number): ShellResult {
  const { head, text, isCut, totalLines, totalBytes, lines, bytes, omitted, spill } = collected;
  return {
    output: text,
    ...(head !== undefined && { head }),
    end,
    truncated: isCut,
    totalLines,
    totalBytes,
    outputLines: lines,
    outputBytes: bytes,
    ...(omitted && { omitted }),
    ...(spill?.path !== undefined && { fullOutputPath: spill.path }),
    isFullOutputCapped: spill?.isCapped ?? false,
    ...(spill?.error && { spillError: spill.error }),
    durationMs,
  };
}
