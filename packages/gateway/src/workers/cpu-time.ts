import { readFileSync } from "node:fs";
import { descendants } from "./process-tree.ts";

/** `sysconf(_SC_CLK_TCK)`, which is 100 on every Linux that Bun runs on. */
const TICKS_PER_SECOND = 100;
/** Positions of utime, stime, cutime and cstime in `/proc/PID/stat`, counted from the field after the name. */
const TIMES = [11, 12, 13, 14];

/**
 * Returns the CPU seconds that a process and everything it started have used, including children that have ended. Returns undefined
 * if the system does not report it (not Linux), or if the process has ended.
 */
export function cpuSeconds(pid: number): number | undefined {
  const own = ticksOf(pid);
  if (own === undefined) return undefined;
  const others = descendants(pid).map((child) => ticksOf(child) ?? 0);
  return others.reduce((sum, ticks) => sum + ticks, own) / TICKS_PER_SECOND;
}

function ticksOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name may contain spaces and parentheses
    return TIMES.reduce((sum, place) => sum + Number(fields[place]), 0);
  } catch {
    return undefined;
  }
}
