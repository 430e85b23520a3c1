import { readdirSync, readFileSync } from "node:fs";

/**
 * Kills a process and all its descendants. Commands of an engine live in sessions of their own, so its group is not enough. The
 * process is stopped first: one that runs could start others meanwhile.
 */
export function killTree(pid: number): void {
  signal(pid, "SIGSTOP");
  for (const member of [pid, ...descendants(pid), -pid]) signal(member, "SIGKILL");
}

export function descendants(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);
}

/** Returns an empty list on systems that do not report it. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1")
        .split(" ")
        .filter((child) => child !== "")
        .map(Number),
    );
  } catch {
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone already
  }
}
