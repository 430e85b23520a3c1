import { CLUSTER } from "./0001-cluster.ts";
import { JOB_QUEUE } from "./0002-job-queue.ts";
import { JOB_RESULTS } from "./0003-job-results.ts";

export interface Migration {
  name: string;
  sql: string;
  /** The oldest layout that a program must know to use the result: the number of the newest migration it was written for. */
  lowest: number;
}

/** In the order in which they are applied, numbered from 1. Never change a released migration; add another one. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "cluster", sql: CLUSTER, lowest: 1 },
  { name: "job-queue", sql: JOB_QUEUE, lowest: 1 },
  { name: "job-results", sql: JOB_RESULTS, lowest: 1 },
];
