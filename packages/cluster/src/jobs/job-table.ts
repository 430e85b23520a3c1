import type { GatewayParams } from "@pintle/wire/gateway";

/** A job that this node has taken. */
export interface TakenJob {
  jobId: string;
  /** The fence: once another node has started the job, writes with this attempt are refused. */
  attempt: number;
  prompt: string;
  /** The options with which its session is started. */
  start: Omit<GatewayParams<"submit">, "prompt" | "deadline" | "attempts" | "priority" | "retryAfter">;
  /** Undefined if there is no deadline. */
  remainingMs: number | undefined;
}

/** The outcome of an attempt. */
export interface JobOutcome {
  status: "done" | "failed" | "cancelled";
  result?: string | undefined;
  error?: string | undefined;
  cost?: number | undefined;
  /** The `prompt_result` of its run. */
  promptResult?: object | undefined;
}

export type JobChange = "submitted" | "cancelled";

/** The operations on the job table that a node needs. All reject with StoreError. */
export interface JobTable {
  /** Takes up to this many waiting jobs that this node can run. */
  take(count: number): Promise<TakenJob[]>;
  /** Returns which of these jobs still belong to this node, and whether they have been cancelled. */
  extend(held: readonly Pick<TakenJob, "jobId" | "attempt">[]): Promise<Map<string, { isCancelled: boolean }>>;
  /** Returns false if another node has the job now. */
  began(job: TakenJob, sessionId: string): Promise<boolean>;
  ended(job: TakenJob, outcome: JobOutcome): Promise<boolean>;
  /**
   * Gives up a job. `lost` uses up the attempt; `left` does not, because the node was asked to shut down; nor does `unbegun`,
   * because there was no session.
   */
  giveBack(job: TakenJob, how: "lost" | "left" | "unbegun"): Promise<void>;
  /** Returns the jobs of lost nodes to the queue, and fails jobs that are past their deadline. */
  tidy(): Promise<void>;
  /** Called if a job may be waiting or was cancelled. Notifications may be lost, so the table is also read regularly. */
  onChanged(listener: (what: JobChange) => void): void;
}
