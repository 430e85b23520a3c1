import { accessSync, closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isSameFile } from "@pintle/foundation";
import { SessionError } from "@pintle/storage";

const DOCTYPE = "<!doctype html>";

/** Resolves the output path, by default in the working directory. */
export function defaultPageName(sessionFile: string): string {
  return `pintle-session-${basename(sessionFile).replace(/\.jsonl$/, "")}.html`;
}

/** Throws before any work if the page could not be written there, or would overwrite a session. */
export function checkTarget(path: string, sessionFile: string): void {
  const target = statSync(path, { throwIfNoEntry: false });
  if (target?.isDirectory()) {
    throw new SessionError("invalid_request", `EISDIR: illegal operation on a directory, open '${path}'`);
  }
  // With `--export *.jsonl`, the shell passes a session as the output file.
  if (target && (path.endsWith(".jsonl") || isSameFile(path, sessionFile))) {
    throw new SessionError("invalid_request", `"${path}" is a session file and is not overwritten; name another file`);
  }
  if (target && !isPage(path)) {
    throw new SessionError("invalid_request", `"${path}" exists and is not an exported page; nothing was written`);
  }
  const directory = dirname(path);
  if (!statSync(directory, { throwIfNoEntry: false })) {
    throw new SessionError(
      "invalid_request",
      `The directory "${directory}" does not exist; create it, or name another path`,
    );
  }
  accessSync(directory, constants.W_OK);
}

/** An exported page may be overwritten; any other file with that name belongs to the user. */
function isPage(path: string): boolean {
  if (/\.html?$/i.test(path)) return true;
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) return false;
    const start = Buffer.alloc(DOCTYPE.length);
    const length = readSync(descriptor, start, 0, start.length, 0);
    return length === 0 || start.toString("latin1").toLowerCase() === DOCTYPE;
  } finally {
    closeSync(descriptor);
  }
}
