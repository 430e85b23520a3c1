import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { errorCode, visiblePath } from "@pintle/foundation";

const MAX_SHOWN = 500;

/**
 * Where a session works: in its own directory, unless that is gone; then where the process is. The path comes from a file
 * that others may have made. One with `..` in it leads somewhere else when it is opened than when its parts are joined, so
 * that consent to one directory would count for the files of another: it is taken as its text says.
 */
export function workingDirectory(own: unknown, fallback: string): { cwd: string; problem?: string } {
  const cwd = typeof own === "string" && isAbsolute(own) ? resolve(own) : undefined;
  if (cwd !== undefined && (cwd === fallback || canEnter(cwd))) return { cwd };
  const text = typeof own === "string" ? own : `${JSON.stringify(own)}`;
  const shown = visiblePath(text.slice(0, MAX_SHOWN));
  return { cwd: fallback, problem: `The session's directory ${shown} cannot be entered. Working in ${fallback}.` };
}

function canEnter(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isDirectory();
  } catch (error) {
    if (errorCode(error) !== undefined) return false; // whatever the system says, we are not in
    throw error;
  }
}
