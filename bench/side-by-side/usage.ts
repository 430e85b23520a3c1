import { readdirSync, readFileSync, writeFileSync } from "node:fs";

// What the kernel reports about a process. Linux only; elsewhere everything is NaN and the cells say so.

/** CPU time of all its threads so far. The kernel's usual counter has steps of 10 ms; this one is exact. */
export function cpuMs(pid: number): number {
  const threads = namesIn(`/proc/${pid}/task`);
  if (threads.length === 0) return Number.NaN;
  const nanoseconds = threads.map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]));
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}

/** Peak memory since `resetPeak`. */
export function peakMb(pid: number): number {
  return kilobytes(`/proc/${pid}/status`, /^VmHWM:\s+(\d+)/m) / 1024;
}

export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Kernels without this file report the peak of the whole lifetime.
  }
}

/** Proportional set size with all children: shared pages count by share. */
export function pssMb(pid: number): number {
  const own = kilobytes(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+)/m) / 1024;
  return childrenOf(pid).reduce((sum, child) => sum + pssMb(child), own);
}

function childrenOf(parent: number): number[] {
  return namesIn("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

/** The second field after the name, which may contain spaces. */
function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

function kilobytes(file: string, line: RegExp): number {
  return Number(line.exec(read(file))?.[1]);
}

/** Processes and threads may end during the scan. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
