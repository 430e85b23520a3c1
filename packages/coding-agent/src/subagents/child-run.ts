import { errorText } from "@pintle/ai";
import type { FileSummary } from "@pintle/wire";
import type { Settings } from "../config/settings/settings.ts";
import type { CheckedOutputSchema } from "../schemas/output-schema.ts";
import type { Child, ChildEnd } from "./child.ts";
import type { ChildRequest, ChildResult, ChildSession } from "./child-session.ts";
import type { IsolatedChanges, IsolatedWorkspace } from "./isolation.ts";
import type { ChildReporter } from "./subagents.ts";

export interface ChildRunParts {
  settings: Pick<Settings, "get">;
  reporter: ChildReporter;
  /** Resolves with the function that frees the child's slot, or with undefined if the signal fires first. */
  takePlace(signal: AbortSignal): Promise<(() => void) | undefined>;
  open(request: ChildRequest): Promise<ChildSession>;
  /** Records that it starts. If that is impossible, throws, and the subagent does not start. */
  recordStart(): void;
  recordEnd(status: ChildEnd): void;
  /** Creates a separate directory, if it gets one. */
  isolate?(signal: AbortSignal): Promise<IsolatedWorkspace>;
}

export interface ChildTask {
  /** Without the directory, which is determined by the run. */
  request: Omit<ChildRequest, "cwd">;
  /** Its first message. */
  text: string;
  schema: CheckedOutputSchema | undefined;
}

/** The outcome of a subagent that has ended. */
export interface ChildOutcome {
  status: ChildEnd;
  /** Absent if it could not be started. */
  result?: ChildResult;
  /** Why it failed or was ended early. */
  error?: string;
  modelName?: string;
  filesChanged: FileSummary[];
  changes?: IsolatedChanges;
}

const HARD_FACTOR = 1.5;

/** Runs a subagent, from waiting in the queue to its end. Never rejects. */
export async function runChild(task: ChildTask, parts: ChildRunParts): Promise<ChildOutcome> {
  const { child } = task.request;
  const { reporter } = parts;
  const free = await parts.takePlace(child.abortion.signal);
  let outcome: ChildOutcome = { status: "aborted", filesChanged: [] };
  let hasStarted = false;
  try {
    if (free) {
      parts.recordStart();
      hasStarted = true;
      outcome = await work(task, parts);
    }
  } catch (error) {
    outcome = {
      status: child.abortion.signal.aborted ? "aborted" : "failed",
      error: errorText(error),
      filesChanged: [],
    };
  }
  if (outcome.status === "aborted") outcome.error ??= child.endReason ?? "it was ended before it started";
  if (hasStarted) parts.recordEnd(outcome.status);
  reporter.ended(outcome.status);
  free?.();
  return outcome;
}

async function work(task: ChildTask, parts: ChildRunParts): Promise<ChildOutcome> {
  const { child } = task.request;
  const { signal } = child.abortion;
  const workspace = await parts.isolate?.(signal);
  let outcome: ChildOutcome;
  try {
    outcome = await runSession({ ...task.request, cwd: workspace?.cwd }, task, parts);
  } catch (error) {
    if (!workspace) throw error;
    outcome = { status: signal.aborted ? "aborted" : "failed", error: errorText(error), filesChanged: [] };
  }
  if (!workspace) return outcome;
  const changes = await workspace.finish();
  return { ...outcome, changes, filesChanged: changes.filesChanged };
}

async function runSession(
  request: ChildRequest,
  { text, schema }: ChildTask,
  { settings, reporter, open }: ChildRunParts,
): Promise<ChildOutcome> {
  const { child } = request;
  const { signal } = child.abortion;
  signal.throwIfAborted();
  const session = await open(request);
  child.session = session;
  child.sessionFile = session.sessionFile;
  try {
    signal.throwIfAborted();
    session.subscribe((event) => {
      reporter.observe(event);
      if (event.type === "message_end" && event.message.role === "assistant") limitRequests(child, session, settings);
    });
    reporter.started();
    const maxMs = settings.get("task.maxRuntimeMs");
    const stopAtLimit = () => stop(child, session, `it ran for ${maxMs / 1000} s (task.maxRuntimeMs)`);
    const timer = maxMs > 0 ? setTimeout(stopAtLimit, maxMs) : undefined;
    const result = await session.run(text, schema).finally(() => clearTimeout(timer));
    return {
      status: statusOf(result),
      result,
      ...errorOf(child, result),
      modelName: session.modelName,
      filesChanged: result.filesChanged ?? [],
    };
  } finally {
    await session.close();
  }
}

/** Asks a subagent to conclude after many model calls, and stops it if it does not. */
function limitRequests(child: Child, session: ChildSession, settings: Pick<Settings, "get">): void {
  const budget = settings.get("task.softRequestBudget");
  if (child.requests === budget) {
    const text = `You have made ${budget} model calls, the limit for this assignment. Conclude now: answer with what you have, and state what is left to do.`;
    session.send({ text }, "steer", "agent");
  }
  if (child.requests >= Math.ceil(budget * HARD_FACTOR)) {
    stop(child, session, `it made ${child.requests} model calls (task.softRequestBudget)`);
  }
}

function stop(child: Child, session: ChildSession, why: string): void {
  child.endReason ??= why;
  void session.abort(); // does not reject
}

function statusOf({ status }: ChildResult): ChildEnd {
  return status === "completed" ? "completed" : status === "error" ? "failed" : "aborted";
}

function errorOf(child: Child, { status, error }: ChildResult): { error?: string } {
  if (status === "completed") return {};
  const text = child.endReason ?? error?.message;
  return text === undefined ? {} : { error: text };
}
