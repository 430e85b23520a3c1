import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { canonicalPath, isMissing, isSystemError, nameKey, namesBelow } from "@pintle/foundation";

/**
 * The only names in pintle's own directory that tools may write. pintle never reads them, so users may keep work there.
 * Everything else is protected, because a list of dangerous files would miss the next one.
 */
const WRITABLE_NAMES: ReadonlySet<string> = new Set(["notes", "projects", "tmp", "workspace", "worktrees"]);

/**
 * Returns the target of a path with links resolved. Throws if it is in pintle's own directory: its content determines what
 * pintle may do and what every later session receives, so no tool may write it. This includes files that do not exist yet,
 * links to them from elsewhere, paths that lead through the directory, and the targets of the user's own links in it.
 */
export function writableTarget(path: string, home: string, shownPath: string): string {
  const target = canonicalPath(path);
  if (!isProtectedPath(path, target, canonicalPath(home))) return target;
  throw new Error(`${shownPath} belongs to pintle itself, so tools cannot change it. Ask the user to change it.`);
}

function isProtectedPath(path: string, target: string, home: string): boolean {
  // Replacing the directory by a file would remove everything in it.
  if (namesBelow(target, home)?.length === 0) return true;
  const passed = [target, ...stepsOf(path)].flatMap((way) => namesBelow(way, home)?.slice(0, 1) ?? []);
  if (passed.some((name) => !WRITABLE_NAMES.has(name))) return true;
  return placesBehind(home).some((place) => namesBelow(target, place) !== undefined);
}

/** Returns the location of every name on a path, without resolving the name itself if it is a link. */
function stepsOf(path: string): string[] {
  const steps: string[] = [];
  for (let at = path; dirname(at) !== at; at = dirname(at)) steps.push(join(canonicalPath(dirname(at)), basename(at)));
  return steps;
}

/** Returns the targets of protected names that are links, because users keep such files elsewhere. */
function placesBehind(home: string): string[] {
  const links = linksIn(home).filter((name) => !WRITABLE_NAMES.has(nameKey(name)));
  return links.flatMap((name) => {
    try {
      return [canonicalPath(join(home, name))];
    } catch (error) {
      if (isSystemError(error)) return []; // A dangling link protects no file.
      throw error;
    }
  });
}

function linksIn(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
