import { existsSync, readFileSync } from "node:fs";

/** Processes that a process has started and that are there. */
export function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(path)
    ? readFileSync(path, "utf8")
    : Bun.spawnSync(["pgrep", "-P", String(pid)]).stdout.toString();
  return text.split(/\s+/).filter(Boolean).map(Number);
}

export function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it had ended by itself
  }
}
