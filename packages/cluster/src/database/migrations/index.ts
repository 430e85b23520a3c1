import { CLUSTER } from "./0001-cluster.ts";
import { JOB_QUEUE } from "./0002-job-queue.ts";
import { JOB_RESULTS } from "./0003-job-results.ts";

export interface Migration {
  name: string;
  sql: string;
  /** The lowest layout that a program must know to work on the result: the number of the newest migration it was written for. */
  lowest: number;
}

/** In the order they are applied; a number is its place, counted from 1. What was released is never changed, only followed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "cluster", sql: CLUSTER, lowest: 1 },
  { name: "job-queue", sql: JOB_QUEUE, lowest: 1 },
  { name: "job-results", sql: JOB_RESULTS, lowest: 1 },
];
