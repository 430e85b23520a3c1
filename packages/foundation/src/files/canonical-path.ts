import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode, isMissing } from "./system-error.ts";

/** The limit that Linux uses. */
const MAX_LINKS = 40;

/**
 * Returns one name per file, whatever links lead to it. For a file that does not exist yet, this is the real path of the nearest
 * existing directory plus the rest. A link to a missing file names that file, because writing through it would create it.
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
    // EINVAL: something that is not a link has appeared in the meantime
    if (isMissing(error) || errorCode(error) === "EINVAL") return undefined;
    throw error;
  }
}
