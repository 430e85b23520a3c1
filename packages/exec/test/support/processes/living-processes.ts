import { readdirSync, readFileSync } from "node:fs";

export const hasProc = process.platform === "linux";

/** Waits for a condition that another process causes, up to the test's time limit. */
export async function eventually(condition: () => boolean): Promise<true> {
  while (!condition()) await Bun.sleep(10);
  return true;
}

/** Returns living processes whose command line contains the text. Linux only. */
export function processesWith(text: string): number[] {
  return livingProcesses().filter((pid) => readProc(pid, "cmdline").replaceAll("\0", " ").includes(text));
}

/** Returns living children of a process, by default of this one. Linux only. */
export function childrenOf(parent = process.pid): number[] {
  return livingProcesses().filter((pid) => statFields(pid)[1] === String(parent));
}

/** Returns a command that does nothing for a day and differs from that of any other test, even in a parallel run. */
export function uniqueSleep(): string {
  sleeps += 1;
  return `sleep 86400.${process.pid}${String(sleeps).padStart(3, "0")}`;
}

let sleeps = 0;

/**
 * Returns whether a process of the group is alive. Only Linux can distinguish dead processes that were not reaped yet.
 */
export function groupExists(id: number): boolean {
  if (hasProc) return livingProcesses().some((pid) => statFields(pid)[2] === String(id));
  try {
    process.kill(-id, 0);
    return true;
  } catch {
    return false;
  }
}

export function openDescriptors(): number {
  return readdirSync(hasProc ? "/proc/self/fd" : "/dev/fd").length;
}

function livingProcesses(): number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => !["", "Z", "X"].includes(statFields(pid)[0] ?? ""));
}

function statFields(pid: number): string[] {
  const stat = readProc(pid, "stat");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
