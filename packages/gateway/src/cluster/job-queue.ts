import type { Job } from "@pintle/wire";
import type { GatewayParams, GatewayResult } from "@pintle/wire/gateway";

/** The jobs as hosts see them. All methods reject with CommandError. packages/cluster implements it. */
export interface JobQueue {
  /** Returns the same job for the same key, on every node. */
  submit(params: GatewayParams<"submit">, commandKey: string | undefined): Promise<GatewayResult<"submit">>;
  get(jobId: string): Promise<Job>;
  cancel(jobId: string): Promise<Job>;
  /** Puts a job that is dead, failed or cancelled back into the queue. */
  retry(jobId: string): Promise<Job>;
  list(query: GatewayParams<"list_jobs">): Promise<GatewayResult<"list_jobs">>;
}
