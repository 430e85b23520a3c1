import { hostname } from "node:os";

/** By what other processes know that this one is still there. */
export interface ProcessIdentity {
  pid: number;
  host: string;
  /** When the process began: in a container the next one may well have the same pid. */
  startedAt: string;
}

export function describeProcess(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), startedAt: new Date(performance.timeOrigin).toISOString() };
}
