import { statSync } from "node:fs";

/** Throws if a session cannot work in this directory; a separate process could not start there either. */
export function requireDirectory(path: string | undefined): void {
  if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Error(`The session cannot start: the directory ${path} (cwd) does not exist`);
}
