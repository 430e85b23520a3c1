import { statSync } from "node:fs";
import { canonicalPath } from "../../files/canonical-path.ts";
import { displayPath, resolveToolPath } from "../shared/paths.ts";

export interface SearchRoot {
  path: string;
  /** Links followed. */
  real: string;
  isDirectory: boolean;
}

/** Where to search. Throws what the model should read when there is nothing that can be searched. */
export function searchRoot(path: string | undefined, cwd: string): SearchRoot {
  const absolute = path === undefined ? cwd : resolveToolPath(path, cwd);
  const facts = statSync(absolute, { throwIfNoEntry: false });
  if (!facts) throw new Error(`Path not found: ${displayPath(absolute, cwd)}`);
  // A pipe or a device would never come to an end.
  if (!facts.isDirectory() && !facts.isFile()) {
    throw new Error(`Not a file or directory: ${displayPath(absolute, cwd)}`);
  }
  return { path: absolute, real: canonicalPath(absolute), isDirectory: facts.isDirectory() };
}
