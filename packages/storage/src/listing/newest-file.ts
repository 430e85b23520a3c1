import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "@pintle/foundation";
import { SessionError } from "../session-error.ts";

/** Returns the newest session file in a directory, or undefined if there is none. The directory may not exist yet. */
export function newestSessionFile(directory: string): string | undefined {
  const files = namesIn(directory)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(directory, name))
    .map((path) => ({ path, stat: statSync(path, { throwIfNoEntry: false }) }))
    .filter(({ stat }) => stat?.isFile() === true);
  files.sort((one, other) => (other.stat?.mtimeMs ?? 0) - (one.stat?.mtimeMs ?? 0));
  return files[0]?.path;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw new SessionError(
      "invalid_request",
      `Cannot open sessions of ${directory}: ${errorCode(error) ?? "not a directory"}`,
    );
  }
}
