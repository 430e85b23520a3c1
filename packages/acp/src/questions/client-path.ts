import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";

/**
 * Returns a real path as the client names it, because the client may have opened the project through a link. Returns undefined
 * if the path is outside the session's directories.
 */
export function pathOfClient(realPath: string, roots: readonly string[]): string | undefined {
  for (const root of roots) {
    const way = relative(realPathOf(root), realPath);
    const isInside = way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
    if (isInside) return join(root, way);
  }
  return undefined;
}

export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // the directory no longer exists, so nothing is inside it
  }
}
