import { namedPathError } from "./named-path-error.ts";

/** `--cwd`. */
export function changeDirectory(path: string | undefined): void {
  if (path === undefined) return;
  try {
    process.chdir(path);
  } catch (error) {
    throw namedPathError("change to", path, error);
  }
}
