import { errorCode } from "../files/system-error.ts";
/** Must be called with the id of a group we started or found in a session we started. */
export function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal);
  } catch {
    // ESRCH: already gone, which is what was wanted. EPERM: runs as another user (sudo) and is out of reach.
  }
}

/** Counts the dead that nobody has waited for. */
export function groupExists(id: number): boolean {
  try {
    process.kill(-id, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
