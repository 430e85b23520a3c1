import { existsSync, readFileSync } from "node:fs";

/** Returns the running processes that a process has started. */
export function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(path)
    ? readFileSync(path, "utf8")
    : Bun.spawnSync(["pgrep", "-P", String(pid)]).stdout.toString();
  return text.split(/\s+/).filter(Boolean).map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"; // another user's process is alive
  }
}

export function killIfThere(pid: number): void {
  signalIfThere(pid, "SIGKILL");
}

export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it had already ended
  }
}
