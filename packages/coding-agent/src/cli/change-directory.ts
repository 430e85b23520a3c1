import { namedPathError } from "./named-path-error.ts";

/** Implements `--cwd`. */
export function changeDirectory(path: string | undefined): void {
  if (path === undefined) return;
  try {
    process.chdir(path);
  } catch (error) {
    throw namedPathError("change to", path, error);
  }
}
