import type { GatewayParams } from "@pintle/wire/gateway";

/** A job that this node has taken. */
export interface TakenJob {
  jobId: string;
  /** The fence: of a job that another node has begun since, nothing is written. */
  attempt: number;
  prompt: string;
  /** How its session is started. */
  start: Omit<GatewayParams<"submit">, "prompt" | "deadline" | "attempts" | "priority" | "retryAfter">;
  /** Undefined if there is no deadline. */
  remainingMs: number | undefined;
}

/** What came of an attempt. */
export interface JobOutcome {
  status: "done" | "failed" | "cancelled";
  result?: string | undefined;
  error?: string | undefined;
  cost?: number | undefined;
  /** The `prompt_result` of its run. */
  promptResult?: object | undefined;
}

export type JobChange = "submitted" | "cancelled";

/** What the node that runs jobs needs of their table. Rejects with StoreError. */
export interface JobTable {
  /** At most so many that wait and that this node can run. */
  take(count: number): Promise<TakenJob[]>;
  /** Those of the held ones that are still this node's, and whether they are to be cancelled. */
  extend(held: readonly Pick<TakenJob, "jobId" | "attempt">[]): Promise<Map<string, { isCancelled: boolean }>>;
  /** False: another node has it now. */
  began(job: TakenJob, sessionId: string): Promise<boolean>;
  ended(job: TakenJob, outcome: JobOutcome): Promise<boolean>;
  /**
   * This node cannot finish it. `lost` uses up the attempt; `left` does not, because the node was asked to end; nor does `unbegun`,
   * because there was no session.
   */
  giveBack(job: TakenJob, how: "lost" | "left" | "unbegun"): Promise<void>;
  /** What lost nodes have left goes back into the queue, and what is past its deadline has failed. */
  tidy(): Promise<void>;
  /** Something may wait, or a job was cancelled. Such words may be lost: the table decides, and is looked at from time to time. */
  onChanged(listener: (what: JobChange) => void): void;
}
