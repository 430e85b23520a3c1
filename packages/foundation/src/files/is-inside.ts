import { isAbsolute, relative, sep } from "node:path";

/**
 * Compares path components, not string prefixes: `/a/bc` is not inside `/a/b`. Both paths must be absolute, with links
 * resolved.
 */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
