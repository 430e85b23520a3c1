import { accessSync, constants, statSync } from "node:fs";

/** Where a session works: in its own directory, unless that is gone; then where the process is. */
export function workingDirectory(own: string, fallback: string): { cwd: string; problem?: string } {
  if (own === fallback || canEnter(own)) return { cwd: own };
  return { cwd: fallback, problem: `The session's directory ${own} cannot be entered. Working in ${fallback}.` };
}

function canEnter(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isDirectory();
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code === "string") return false; // whatever the system says, we are not in
    throw error;
  }
}
