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
  return follow(absolutePath, 0, new Map());
}

/**
 * Returns `canonicalPath` for many paths that are examined together: a directory that several of them share is followed
 * once. Use it only as long as nothing changes these directories.
 */
export function canonicalPaths(): (absolutePath: string) => string {
  const directories = new Map<string, string>();
  return (path) => follow(path, 0, directories);
}

function follow(path: string, linksSeen: number, directories: Map<string, string>): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const isDirect = linksSeen === 0; // behind a link fewer links are left to follow
  const directory = (isDirect ? directories.get(parent) : undefined) ?? follow(parent, linksSeen, directories);
  if (isDirect) directories.set(parent, directory);
  const target = linkTarget(join(directory, basename(path)));
  if (target === undefined) return join(directory, basename(path));
  if (linksSeen >= MAX_LINKS) throw Object.assign(new Error(`too many links: ${path}`), { code: "ELOOP", errno: -40 });
  return follow(resolve(directory, target), linksSeen + 1, directories);
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
