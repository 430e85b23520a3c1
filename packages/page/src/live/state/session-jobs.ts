import type { AsyncJob, GatewaySession, RpcEvent } from "@pintle/client/core";
import { Cell, type ReadonlyCell } from "./cell.ts";

/** Calls of these tools can continue in the background. */
const PROMOTABLE: ReadonlySet<string> = new Set(["bash", "task"]);

type Rpc = Pick<GatewaySession, "setHostCapabilities" | "getAsyncJobs" | "backgroundToolCall" | "cancelAsyncJob">;

/** The background jobs of the session that are running, and the running calls that could become one. */
export class SessionJobs {
  /** Whether the user wants to see all jobs. */
  readonly isShown = new Cell(false);
  readonly #rpc: Rpc;
  readonly #running = new Cell<readonly AsyncJob[]>([]);
  readonly #calls = new Cell<readonly string[]>([]);

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  /** In the order in which they started. */
  get running(): ReadonlyCell<readonly AsyncJob[]> {
    return this.#running;
  }

  /** The ids of running calls that can continue in the background. */
  get promotable(): ReadonlyCell<readonly string[]> {
    return this.#calls;
  }

  apply(event: RpcEvent): void {
    const change = CHANGES[event.type] as ((jobs: SessionJobs, event: RpcEvent) => void) | undefined;
    change?.(this, event);
  }

  /** Lets the model work in the background, from the next run on. */
  async allow(): Promise<void> {
    await this.#rpc.setHostCapabilities({ asyncWork: true });
  }

  /** Does the same again, because the server may have been away, and reads the jobs that are running. */
  async renew(): Promise<void> {
    await this.allow();
    const { jobs } = await this.#rpc.getAsyncJobs();
    this.#running.set(jobs);
  }

  /** All jobs that are known, the newest last. */
  async all(): Promise<AsyncJob[]> {
    return (await this.#rpc.getAsyncJobs({ all: true })).jobs;
  }

  stop(job: AsyncJob): Promise<unknown> {
    return this.#rpc.cancelAsyncJob(job.id);
  }

  /** Returns whether anything continues in the background. */
  async promote(): Promise<boolean> {
    return (await this.#rpc.backgroundToolCall()).jobIds.length > 0;
  }

  started(job: AsyncJob): void {
    this.#running.set([...this.#running.value.filter(({ id }) => id !== job.id), job]);
  }

  ended(jobId: string): void {
    this.#running.set(this.#running.value.filter(({ id }) => id !== jobId));
  }

  callStarted(callId: string, tool: string): void {
    if (PROMOTABLE.has(tool)) this.#calls.set([...this.#calls.value, callId]);
  }

  callEnded(callId: string): void {
    if (this.#calls.value.includes(callId)) this.#calls.set(this.#calls.value.filter((id) => id !== callId));
  }

  callsEnded(): void {
    if (this.#calls.value.length > 0) this.#calls.set([]);
  }

  lost(): void {
    this.callsEnded();
    this.#running.set([]);
  }
}

type Changes = { [T in RpcEvent["type"]]?: (jobs: SessionJobs, event: Extract<RpcEvent, { type: T }>) => void };

const CHANGES: Changes = {
  session_snapshot(jobs, { tools }) {
    jobs.callsEnded();
    for (const { toolCallId, toolName } of tools) jobs.callStarted(toolCallId, toolName);
  },
  async_job_start: (jobs, { job }) => jobs.started(job),
  async_job_end: (jobs, { job }) => jobs.ended(job.id),
  tool_execution_start: (jobs, { toolCallId, toolName }) => jobs.callStarted(toolCallId, toolName),
  tool_execution_end: (jobs, { toolCallId }) => jobs.callEnded(toolCallId),
  agent_end: (jobs) => jobs.callsEnded(),
  worker_exited: (jobs) => jobs.lost(),
};
