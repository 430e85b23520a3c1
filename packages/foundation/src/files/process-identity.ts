import { hostname } from "node:os";

/** Identifies a running process: pid plus start time, because pids are reused. */
export interface ProcessIdentity {
  pid: number;
  host: string;
  /** When the process started. In a container, another process is likely to get the same pid later. */
  startedAt: string;
}

export function describeProcess(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), startedAt: new Date(performance.timeOrigin).toISOString() };
}
