import { relative, resolve, sep } from "node:path";
import { isInside } from "@pintle/foundation";

/** Returns a path as hosts see it: relative to the session's directory, absolute outside it. */
export function shownPath(path: string, cwd: string): string {
  return (isInside(cwd, path) && path !== cwd ? relative(cwd, path) : path).split(sep).join("/");
}

/** Returns undefined for a path that leaves the directory with `..`. */
export function recordedPath(shown: string, cwd: string): string | undefined {
  return shown === "" || shown.split(/[\\/]/).includes("..") ? undefined : resolve(cwd, shown);
}
