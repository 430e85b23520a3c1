import { dirname, isAbsolute } from "node:path";
import { globFilter } from "../search/glob-filter.ts";

const SPECIAL = /[*?[\]{}!\\]/;

/** The directory that an absolute pattern names before its first special character. */
export function patternRoot(pattern: string): string | undefined {
  if (!isAbsolute(pattern)) return undefined;
  const special = pattern.search(SPECIAL);
  if (special === -1) return dirname(pattern);
  return pattern.slice(0, Math.max(1, pattern.lastIndexOf("/", special)));
}

/** What a pattern finds when it comes to this file: itself, or with a slash at the end directories that lead to it. */
export function entriesFor(pattern: string, place: { root: string; cwd: string }): (path: string) => readonly string[] {
  const matches = globFilter(pattern.replace(/\/+$/, ""), place);
  if (!pattern.endsWith("/")) return (path) => (matches(path) ? [path] : []);
  let last: { directory: string; entries: readonly string[] } | undefined;
  return (path) => {
    const directory = dirname(path);
    // Files of one directory come together.
    if (last?.directory !== directory) last = { directory, entries: leadingTo(directory, place.root).filter(matches) };
    return last.entries;
  };
}

function leadingTo(directory: string, root: string): string[] {
  const found: string[] = [];
  for (let at = directory; at.length > root.length; at = dirname(at)) found.push(at);
  return found;
}
