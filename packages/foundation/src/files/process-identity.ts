import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { errorCode } from "./system-error.ts";

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

/** Whether the process is still running. One on another machine cannot be checked and counts as running. */
export function isRunning(other: ProcessIdentity, self: ProcessIdentity = describeProcess()): boolean {
  if (other.host !== self.host) return true;
  return other.pid === self.pid ? other.startedAt === self.startedAt : hasProcess(other.pid);
}

function hasProcess(pid: number): boolean {
  if (pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return errorCode(error) !== "ESRCH"; // it exists but belongs to another user
  }
}

/** Returns whether a process was killed but not yet reaped by its parent: it will write nothing more. Only Linux reveals this. */
function isZombie(pid: number): boolean {
  try {
    // The name before the state may contain anything, including closing brackets.
    return /^.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false; // no /proc, or the process has just exited, which the next check detects
  }
}
