import { delay, LONGEST_TIMER_MS } from "@pintle/ai";
import type { Host, HostPort } from "@pintle/gateway/cluster";
import { type Answer, type Frame, JobHost } from "./job-host.ts";
import type { JobOutcome, JobTable, TakenJob } from "./job-table.ts";

/** Why an attempt must stop. `lost`: another node may have taken the job. `leaving`: this node is shutting down. */
export type StopReason = "cancelled" | "deadline" | "lost" | "leaving";

export interface JobRunParts {
  job: TakenJob;
  table: Pick<JobTable, "began">;
  accept(host: Host): HostPort;
}

/** The outcome of a job: it has ended, or it returns to the queue. Undefined if another node has it. */
export type RunEnd = JobOutcome | "lost" | "left" | "unbegun" | undefined;

/** If an abort takes longer, the session is ended. */
const ABORT_MS = 10_000;
const PROMPT_ID = "job";
/** Failures that do not concern the job: another node may start it, or this one later. */
const NOT_NOW: ReadonlySet<string> = new Set(["busy", "draining", "session_moved", "other_node", "store_unavailable"]);
const STOPPED: Readonly<Record<"cancelled" | "deadline", JobOutcome>> = {
  cancelled: { status: "cancelled" },
  deadline: { status: "failed", error: "It was not done by its deadline" },
};

/** One attempt at a job: a session of its own, a prompt, and its outcome. */
export class JobRun {
  readonly #parts: JobRunParts;
  readonly #host: JobHost;
  /** How the prompt's run has ended in the session. */
  readonly #over = Promise.withResolvers<Frame>();
  readonly #stopped = Promise.withResolvers<StopReason>();
  #stop: StopReason | undefined;
  #sessionId: string | undefined;
  #isPrompted = false;

  constructor(parts: JobRunParts) {
    this.#parts = parts;
    this.#host = new JobHost(parts.accept, (frame) => this.#onEvent(frame));
  }

  get job(): TakenJob {
    return this.#parts.job;
  }

  /** Only the first reason takes effect. */
  stop(reason: StopReason): void {
    this.#stop ??= reason;
    this.#stopped.resolve(reason);
  }

  /** Rejects with the errors of the table. */
  async attempt(): Promise<RunEnd> {
    const timer = this.#watchDeadline();
    try {
      return await this.#attempt();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the session's engine; the session stays stored. */
  async close(): Promise<void> {
    const sessionId = this.#sessionId;
    if (sessionId !== undefined) await this.#host.ask({ type: "close_session", sessionId, abort: true });
    this.#host.leave();
  }

  async #attempt(): Promise<RunEnd> {
    const { job, table } = this.#parts;
    const { outputSchema, timeoutMs, ...start } = job.start;
    const opened = await this.#host.ask({ ...start, type: "open_session" });
    if (!opened.isSuccess) return refused(opened);
    const sessionId = String(opened.data.sessionId);
    this.#sessionId = sessionId;
    if (!(await table.began(job, sessionId))) return undefined;
    if (this.#stop) return this.#stoppedBy(this.#stop, sessionId);
    const commandKey = `${job.jobId} ${job.attempt}`;
    this.#isPrompted = true;
    const prompted = await this.#host.ask({
      type: "prompt",
      sessionId,
      message: job.prompt,
      id: PROMPT_ID,
      commandKey,
      ...(outputSchema && { outputSchema }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    if (!prompted.isSuccess) return refused(prompted);
    const end = await Promise.race([this.#over.promise, this.#stopped.promise]);
    return typeof end === "string" ? this.#stoppedBy(end, sessionId) : this.#outcome(end, sessionId);
  }

  async #stoppedBy(reason: StopReason, sessionId: string): Promise<RunEnd> {
    if (reason === "lost") return undefined;
    if (reason === "leaving") return "left";
    return { ...STOPPED[reason], cost: await this.#abort(sessionId) };
  }

  /** Returns the cost so far. */
  async #abort(sessionId: string): Promise<number | undefined> {
    if (!this.#isPrompted) return undefined;
    const isOver = new AbortController();
    const aborted = this.#host.ask({ type: "abort", sessionId }).then(() => this.#over.promise);
    const end = await Promise.race([aborted, delay(ABORT_MS, isOver.signal)]);
    isOver.abort();
    return end ? this.#cost(sessionId) : undefined;
  }

  async #outcome(end: Frame, sessionId: string): Promise<RunEnd> {
    const fail = FAILURES[String(end.type)];
    if (fail) return fail(end);
    const { id: _id, commandKey: _key, seq: _seq, ...promptResult } = end;
    const cost = await this.#cost(sessionId);
    if (end.status === "completed") {
      const { data } = await this.#host.ask({ type: "get_last_assistant_text", sessionId });
      return { status: "done", result: typeof data.text === "string" ? data.text : "", cost, promptResult };
    }
    const { message } = (end.error ?? {}) as { message?: string };
    return { status: "failed", error: message ?? `The run was ${String(end.status)}`, cost, promptResult };
  }

  async #cost(sessionId: string): Promise<number | undefined> {
    const { data } = await this.#host.ask({ type: "get_session_stats", sessionId });
    const { cost } = (data.lifetime ?? {}) as { cost?: unknown };
    return typeof cost === "number" ? cost : undefined;
  }

  #watchDeadline(): ReturnType<typeof setTimeout> | undefined {
    const { remainingMs } = this.job;
    return remainingMs === undefined
      ? undefined
      : setTimeout(() => this.stop("deadline"), Math.min(Math.max(remainingMs, 0), LONGEST_TIMER_MS));
  }

  #onEvent(frame: Frame): void {
    const isOfPrompt = frame.type === "prompt_result" || frame.type === "response";
    const isEnd = isOfPrompt ? frame.id === PROMPT_ID : Object.hasOwn(FAILURES, String(frame.type));
    if (isEnd) this.#over.resolve(frame);
  }
}

/** Events that end a session in the middle of a run. Only the loss or shutdown of a node justifies another attempt. */
const FAILURES: Readonly<Record<string, (frame: Frame) => RunEnd>> = {
  worker_exited: ({ stderrTail, reason }) => ({
    status: "failed",
    error: `The engine of the session ended. ${String(reason ?? stderrTail ?? "").trim()}`.trim(),
  }),
  session_failed: ({ message }) => ({ status: "failed", error: String(message) }),
  /** Handles the late failure of the prompt. */
  response: ({ error }) => ({ status: "failed", error: String(error) }),
  session_moved: () => "lost",
  session_closed: () => "lost",
};

function refused({ code, error }: Answer): RunEnd {
  return NOT_NOW.has(code) ? "unbegun" : { status: "failed", error };
}
