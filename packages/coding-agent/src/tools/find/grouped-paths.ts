import { posix } from "node:path";

/**
 * Lines that name these files: those of one directory stand below its path, each after one blank, so that the path is there once.
 * `src/` + ` a.ts` is `src/a.ts`. A file that is alone in its directory is one line. Groups are in the order of their first files.
 */
export function groupPaths(paths: readonly string[]): string[] {
  const groups = Map.groupBy(paths, (path) => posix.dirname(path));
  return [...groups].flatMap(([directory, files]) => {
    if (directory === "." || files.length === 1) return files.map(unindented);
    const heading = directory.endsWith("/") ? directory : `${directory}/`;
    return [unindented(heading), ...files.map((path) => ` ${posix.basename(path)}`)];
  });
}

/** A line that stands for no file, but for the directory of those below it. */
export function isHeading(line: string): boolean {
  return line.endsWith("/");
}

/** A blank at the beginning of a line belongs to a group. */
function unindented(path: string): string {
  return path.startsWith(" ") ? `./${path}` : path;
}
