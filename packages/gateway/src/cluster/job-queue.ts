import type { Job } from "@pintle/wire";
import type { GatewayParams, GatewayResult } from "@pintle/wire/gateway";

/** The job queue for hosts. All methods reject with CommandError. packages/cluster implements it. */
export interface JobQueue {
  /** Submits a job. The same key returns the same job, on every node. */
  submit(params: GatewayParams<"submit">, commandKey: string | undefined): Promise<GatewayResult<"submit">>;
  get(jobId: string): Promise<Job>;
  cancel(jobId: string): Promise<Job>;
  /** Puts a job that is dead, failed or cancelled back into the queue. */
  retry(jobId: string): Promise<Job>;
  list(query: GatewayParams<"list_jobs">): Promise<GatewayResult<"list_jobs">>;
}
