import { onAbort } from "@pintle/ai";
import { countLines } from "@pintle/foundation";
import { SessionError } from "@pintle/storage";
import type { BashResult } from "@pintle/wire";
import type { SessionHooks } from "../../session/session-hooks.ts";
import type { BashOperations } from "../../tools/bash/run-command.ts";
import { describeThrown } from "../loading/load-fault.ts";

// Extensions use the formats of their own program and are not type-checked; hosts must receive what the protocol specifies.

/** Converts what an extension does in place of a user's command to a form that the session can rely on. */
export async function checkedUserBash(
  chosen: Awaited<ReturnType<SessionHooks["userBash"]>>,
): ReturnType<SessionHooks["userBash"]> {
  if (!chosen) return undefined;
  if ("result" in chosen) return { result: await completeResult(chosen.result) };
  return { operations: checkedOperations(chosen.operations) };
}

async function completeResult(given: Partial<BashResult>): Promise<BashResult> {
  const { BASH_LIMITS, keepTail } = await import("@pintle/exec/processes");
  const { exitCode, fullOutputPath } = given;
  const whole = String(given.output ?? "");
  const { text: output, isCut, lines } = keepTail(whole, BASH_LIMITS);
  return {
    output,
    ...(isInteger(exitCode) && { exitCode }),
    cancelled: given.cancelled === true,
    truncated: given.truncated === true || isCut,
    totalLines: countOr(given.totalLines, isCut ? countLines(whole) : lines),
    totalBytes: countOr(given.totalBytes, Buffer.byteLength(whole)),
    outputLines: lines,
    outputBytes: Buffer.byteLength(output),
    ...(typeof fullOutputPath === "string" && { fullOutputPath }),
  };
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

function countOr(given: unknown, counted: number): number {
  return isInteger(given) && given >= counted ? given : counted;
}

/** How long an extension's operations may take to stop. */
const STOP_MS = 2_000;

/**
 * Waits for the work, and after an abort for at most `STOP_MS`. The signal may outlive the command, so the listener is removed.
 */
async function stoppedInTime<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const forget = onAbort(signal, () => {
    timer = setTimeout(() => reject(new Error("aborted")), STOP_MS).unref();
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    forget();
    clearTimeout(timer);
  }
}

/** Wraps operations. Their failure is the result of the user's command, not a fault of pintle. */
function checkedOperations(operations: BashOperations): BashOperations {
  return {
    async exec(command, cwd, { onData, ...options }) {
      const checkedData = (data: unknown) => onData(data instanceof Uint8Array ? data : Buffer.from(String(data)));
      try {
        const work = operations.exec(command, cwd, { ...options, onData: checkedData });
        const { exitCode } = (await stoppedInTime(work, options.signal)) ?? {};
        if (exitCode !== null && !Number.isInteger(exitCode)) throw new Error("The command ended without an exit code");
        return { exitCode };
      } catch (error) {
        throw new SessionError("invalid_request", describeThrown(error));
      }
    },
  };
}
