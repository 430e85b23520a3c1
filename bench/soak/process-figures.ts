import { readdirSync, readFileSync } from "node:fs";

export interface Figures {
  rssMb: number;
  /** Memory shared between processes is divided among them. */
  pssMb: number;
  descriptors: number;
}

export function figuresOf(pid: number): Figures {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1] ?? 0);
  return {
    rssMb: kilobytes("Rss") / 1024,
    pssMb: kilobytes("Pss") / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** Every running process whose environment contains this string: children, and orphaned grandchildren. */
export function processesWith(mark: string): number[] {
  return pids().filter((pid) => pid !== process.pid && read(`/proc/${pid}/environ`).includes(mark));
}

/** Children of this process that have ended and were never reaped. */
export function zombies(): number[] {
  return pids().filter((pid) => {
    const [state, parent] = read(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ");
    return state === "Z" && Number(parent) === process.pid;
  });
}

const pids = () => readdirSync("/proc").map(Number).filter(Number.isInteger);

/** A process may end during the scan, or belong to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
