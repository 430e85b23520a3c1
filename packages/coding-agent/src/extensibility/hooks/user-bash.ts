import { onAbort } from "@pintle/ai";
import type { BashResult } from "@pintle/wire";
import type { BashOperations, SessionHooks } from "../../session/session-hooks.ts";
import { SessionError } from "../../storage/session-error.ts";
import { countLines } from "../../text/cut-to-bytes.ts";
import { describeThrown } from "../loading/load-fault.ts";

// Extensions give what their own program knows, and are not type-checked; hosts get what the protocol says.

/** What an extension does in place of a command of the user, in a form that the session can rely on. */
export async function checkedUserBash(
  chosen: Awaited<ReturnType<SessionHooks["userBash"]>>,
): ReturnType<SessionHooks["userBash"]> {
  if (!chosen) return undefined;
  if ("result" in chosen) return { result: await completeResult(chosen.result) };
  return { operations: checkedOperations(chosen.operations) };
}

async function completeResult(given: Partial<BashResult>): Promise<BashResult> {
  const [{ BASH_LIMITS }, { keepTail }] = await Promise.all([
    import("../../processes/shell/bash-result.ts"),
    import("../../processes/output/terminal-text.ts"),
  ]);
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

/** How long operations have to stop what they run. */
const STOP_MS = 2_000;

/** The end of the work; after an abort it has `STOP_MS` for that. The signal may outlive the command, so nothing stays on it. */
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

/** Its failure is the answer to the user's command, not a fault of ours. */
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
