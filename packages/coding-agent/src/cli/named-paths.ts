import { statSync } from "node:fs";
import { resolve } from "node:path";
import { expandHome, isMissing } from "@pintle/foundation";
import { StartUpError } from "../config/start-up-error.ts";

/**
 * Resolves the files and folders that a flag names against the current directory. A missing one prevents the start, because
 * the first prompt would already lack the guard or tool in it.
 */
export function namedPaths(flag: string, paths: readonly string[]): string[] {
  return paths.map((named) => {
    const path = resolve(expandHome(named));
    if (!isThere(path)) throw new StartUpError(`${flag} ${named}: no such file or directory`);
    return path;
  });
}

function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    return !isMissing(error); // opening it reports other problems
  }
}
