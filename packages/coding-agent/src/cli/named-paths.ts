import { statSync } from "node:fs";
import { resolve } from "node:path";
import { expandHome, isMissing } from "@pintle/foundation";
import { StartUpError } from "../config/start-up-error.ts";

/**
 * The files and folders that a flag names, from the directory of the call on. One that is not there refuses the start: the
 * guard or the tool in it would be missing from the first prompt on.
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
    return !isMissing(error); // other problems are reported when it is opened
  }
}
