import { isUtf8 } from "node:buffer";
import { existsSync } from "node:fs";
import { isSystemError } from "../../files/system-error.ts";
import { readVersion } from "../shared/file-version.ts";
import { numberedDiff } from "../shared/numbered-diff.ts";

/** A diff of more is of no use. */
const MAX_COMPARED_BYTES = 1024 * 1024;

/** What writing a file changes, for the one who decides on it: of a new file everything. undefined: it cannot be compared. */
export async function diffToNewContent(path: string, content: string): Promise<string | undefined> {
  const old = await readOld(path);
  if (old || existsSync(path) || content === "") return diffFrom(old, content);
  return diffFrom(Buffer.alloc(0), content);
}

export async function diffFrom(old: Buffer | undefined, content: string): Promise<string | undefined> {
  if (!old || content.length > MAX_COMPARED_BYTES || old.includes(0) || !isUtf8(old)) return undefined;
  const before = old.toString("utf8");
  const { diff } = await numberedDiff(before, [{ start: 0, end: before.length, text: content }]);
  return diff;
}

/** undefined: there is none, or it is too long to be compared. */
export async function readOld(path: string): Promise<Buffer | undefined> {
  try {
    const file = await readVersion(path, MAX_COMPARED_BYTES);
    return "bytes" in file ? file.bytes : undefined;
  } catch (error) {
    if (isSystemError(error)) return undefined; // the diff is an extra: writing will say what is wrong, if anything is
    throw error;
  }
}
