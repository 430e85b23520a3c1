import { onAbort } from "@pintle/ai";
import type { ChildOutput } from "../../processes/child/child-output.ts";
import type { ToolContext } from "../tool-context.ts";
import { findRipgrep } from "./ripgrep-binary.ts";

/** What a search needs of the session. */
export type SearchContext = Pick<ToolContext, "gateway" | "settings" | "approved">;

export interface RipgrepRequest {
  /** Options that ask for something; those that keep the environment out are added. */
  args: readonly string[];
  /** Absolute: ripgrep then answers with absolute paths. */
  roots: readonly string[];
  signal: AbortSignal;
}

export interface RipgrepEnd {
  /** 0: something was found, 1: nothing, 2: complaints. Undefined when it was stopped. */
  exitCode: number | undefined;
  hasTimedOut: boolean;
  /** The beginning of what it complained about, and how many lines that were in all. */
  complaints: { text: string; lines: number };
}

/** A named pipe or a dead network drive would be waited for without end. */
export const TIME_LIMIT_MS = 60_000;
const MAX_COMPLAINT_CHARACTERS = 4_096;

const ALWAYS = ["--no-config", "--no-ignore-messages", "--color=never", "--hidden", "--no-require-git", "--glob=!.git"];

/**
 * Runs ripgrep and hands on what it writes. It is killed as soon as `take` returns false, which means: enough. Throws the
 * signal's reason when that fires, and an Error when ripgrep cannot be run or was killed by others.
 */
export async function runRipgrep(
  context: SearchContext,
  { args, roots, signal }: RipgrepRequest,
  take: (chunk: Uint8Array) => boolean,
): Promise<RipgrepEnd> {
  const program = await findRipgrep(context);
  const gateway = await context.gateway();
  signal.throwIfAborted();
  // Started where nothing can be meant: every path is absolute.
  const child = gateway.start({
    command: [program, ...ALWAYS, ...args, "--", ...roots],
    cwd: "/",
    stderr: "separate",
  });
  let hasEnough = false;
  const kill = () => child.stop("aborted", 0);
  const timer = setTimeout(() => child.stop("timed_out", 0), TIME_LIMIT_MS);
  const forget = onAbort(signal, kill);
  try {
    const complaints = readComplaints(child.stderr!);
    for (let chunk = await child.stdout.read(); chunk; chunk = await child.stdout.read()) {
      if (hasEnough || take(chunk)) continue;
      hasEnough = true;
      kill();
    }
    const exit = await child.exited;
    signal.throwIfAborted();
    const hasTimedOut = exit.stoppedFor === "timed_out";
    if (!hasEnough && !hasTimedOut && exit.code === undefined) throw new Error("The search was stopped.");
    return { exitCode: exit.code, hasTimedOut, complaints: await complaints };
  } finally {
    clearTimeout(timer);
    forget();
    kill(); // no effect unless `take` has thrown
    // does not reject: a broken pipe is closed already
    void child.stdout.close();
  }
}

async function readComplaints(output: ChildOutput): Promise<RipgrepEnd["complaints"]> {
  const decoder = new TextDecoder();
  let text = "";
  let lines = 0;
  for (let chunk = await output.read(); chunk; chunk = await output.read()) {
    for (const byte of chunk) if (byte === 0x0a) lines += 1;
    if (text.length < MAX_COMPLAINT_CHARACTERS) text += decoder.decode(chunk, { stream: true });
  }
  await output.close();
  return { text: text.slice(0, MAX_COMPLAINT_CHARACTERS), lines };
}
