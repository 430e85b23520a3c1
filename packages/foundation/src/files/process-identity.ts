import { hostname } from "node:os";

/** Identifies a running process: pid plus start time, because pids are reused. */
export interface ProcessIdentity {
  pid: number;
  host: string;
  /** When the process started. In a container, the next process may well have the same pid. */
  startedAt: string;
}

export function describeProcess(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), startedAt: new Date(performance.timeOrigin).toISOString() };
}
