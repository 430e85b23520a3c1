import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { errorCode, visiblePath } from "@pintle/foundation";

const MAX_SHOWN = 500;

/**
 * Returns the directory that a session works in: its own or, if that is gone, the directory of the process. The path comes from
 * a file that others may have written. Opening a path with `..` behind a link leads elsewhere than joining its parts, so consent
 * to one directory would apply to files of another: the path is normalized as text.
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
    if (errorCode(error) !== undefined) return false; // any system error means that the directory cannot be entered
    throw error;
  }
}
