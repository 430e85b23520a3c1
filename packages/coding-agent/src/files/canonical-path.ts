import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode, isMissing } from "./system-error.ts";

/** As many as Linux follows. */
const MAX_LINKS = 40;

/**
 * One name per file, whatever links lead to it, also for a file that does not exist yet: then the real path of the nearest
 * directory that does, and the rest. A link to a missing file names that file, because writing through it would create it.
 */
export function canonicalPath(absolutePath: string): string {
  return follow(absolutePath, 0);
}

function follow(path: string, linksSeen: number): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const directory = follow(parent, linksSeen);
  const target = linkTarget(join(directory, basename(path)));
  if (target === undefined) return join(directory, basename(path));
  if (linksSeen >= MAX_LINKS) throw Object.assign(new Error(`too many links: ${path}`), { code: "ELOOP", errno: -40 });
  return follow(resolve(directory, target), linksSeen + 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    // EINVAL: something that is no link has appeared meanwhile
    if (isMissing(error) || errorCode(error) === "EINVAL") return undefined;
    throw error;
  }
}
