import { readdirSync, readFileSync } from "node:fs";

/**
 * Kills a process and all its descendants. An engine's commands run in sessions of their own, so killing its group is not enough.
 * The process is stopped first, so that it cannot start more processes meanwhile.
 */
export function killTree(pid: number): void {
  signal(pid, "SIGSTOP");
  for (const member of [pid, ...descendants(pid), -pid]) signal(member, "SIGKILL");
}

export function descendants(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);
}

/** Lists the child processes. Returns an empty list on systems that do not report them. */
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
    // already ended
  }
}
