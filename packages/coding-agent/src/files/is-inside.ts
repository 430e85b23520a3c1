import { isAbsolute, relative, sep } from "node:path";

/** Compared by names, never by the beginning of the text: `/a/bc` is not inside of `/a/b`. Both absolute, links resolved. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
