import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { SessionError } from "../session/session-error.ts";

/** In the working directory, when nobody says otherwise. */
export function defaultPageName(sessionFile: string): string {
  return `pintle-session-${basename(sessionFile).replace(/\.jsonl$/, "")}.html`;
}

/** Throws before any work when the page could not be written there, and when it would take the place of a session. */
export function checkTarget(path: string, sessionFile: string): void {
  const target = statSync(path, { throwIfNoEntry: false });
  if (target?.isDirectory()) {
    throw new SessionError("invalid_request", `EISDIR: illegal operation on a directory, open '${path}'`);
  }
  // `--export *.jsonl` names a session as the file to write.
  if (target && (path.endsWith(".jsonl") || isSame(path, sessionFile))) {
    throw new SessionError("invalid_request", `"${path}" is a session; a page does not take its place`);
  }
  accessSync(dirname(path), constants.W_OK);
}

function isSame(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return false; // one of them is not there, so it is not the other
  }
}
