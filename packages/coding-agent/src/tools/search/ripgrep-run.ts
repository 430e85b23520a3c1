import { onAbort } from "@pintle/ai";
import type { ChildOutput } from "@pintle/exec";
import { findOwnRipgrep, isUsableVersion } from "@pintle/exec/native";
import type { ProcessRunner } from "@pintle/exec/processes";
import type { ToolContext } from "../tool-context.ts";

/** The parts of the context that a search needs. */
export type SearchContext = Pick<ToolContext, "processRunner" | "settings" | "approved">;

export interface RipgrepRequest {
  /** Options for the search. `runRipgrep` adds those that make it independent of the environment. */
  args: readonly string[];
  /** Absolute, so that ripgrep reports absolute paths. */
  roots: readonly string[];
  signal: AbortSignal;
}

export interface RipgrepEnd {
  /** 0: found something, 1: found nothing, 2: errors. Undefined if it was stopped. */
  exitCode: number | undefined;
  hasTimedOut: boolean;
  /** The beginning of its error output, and the total number of lines. */
  complaints: { text: string; lines: number };
}

/** Ends a search that would never finish, for example on a named pipe or an unreachable network drive. */
export const TIME_LIMIT_MS = 60_000;
const MAX_COMPLAINT_CHARACTERS = 4_096;

const ALWAYS = ["--no-config", "--no-ignore-messages", "--color=never", "--hidden", "--no-require-git", "--glob=!.git"];

/**
 * Runs ripgrep and passes its output to `take`. Kills it as soon as `take` returns false. Throws the signal's reason if the
 * signal fires, and an Error if ripgrep cannot be run or something else killed it.
 */
export async function runRipgrep(
  context: SearchContext,
  { args, roots, signal }: RipgrepRequest,
  take: (chunk: Uint8Array) => boolean,
): Promise<RipgrepEnd> {
  const program = await findRipgrep(context);
  const processRunner = await context.processRunner();
  signal.throwIfAborted();
  // The directory does not matter, because every path is absolute.
  const child = processRunner.start({
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
    // does not reject, even if the pipe is broken
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

const MISSING = "This installation of pintle lacks ripgrep, which searching files requires.";
const MAX_VERSION_BYTES = 4096;
const VERSION_TIMEOUT_MS = 5_000;

const usableOnSystem = new Map<string, Promise<boolean>>();

/** Returns the path of ripgrep. Throws an Error for the model if there is none. */
async function findRipgrep({
  processRunner,
  settings,
}: Pick<ToolContext, "processRunner" | "settings">): Promise<string> {
  const own = await findOwnRipgrep();
  const isSystemPreferred = settings.get("search.preferSystem");
  const path = (isSystemPreferred ? await findSystemRipgrep(await processRunner()) : undefined) ?? own;
  if (path === undefined) throw new Error(MISSING);
  return path;
}

async function findSystemRipgrep(processRunner: ProcessRunner): Promise<string | undefined> {
  const path = processRunner.which("rg", "/");
  if (path === undefined) return undefined;
  let isUsable = usableOnSystem.get(path);
  if (!isUsable) {
    isUsable = askVersion(processRunner, path).then(isUsableVersion, () => false);
    usableOnSystem.set(path, isUsable);
  }
  return (await isUsable) ? path : undefined;
}

async function askVersion(processRunner: ProcessRunner, path: string): Promise<string> {
  const child = processRunner.start({ command: [path, "--no-config", "--version"], cwd: "/", stderr: "ignore" });
  const timer = setTimeout(() => child.stop("timed_out", 0), VERSION_TIMEOUT_MS);
  let answer = "";
  for (let chunk = await child.stdout.read(); chunk; chunk = await child.stdout.read()) {
    if (answer.length < MAX_VERSION_BYTES) answer += Buffer.from(chunk).toString("latin1");
  }
  clearTimeout(timer);
  await child.stdout.close();
  return answer;
}
