import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { errorCode, isBadName, isSystemError } from "@pintle/foundation";
import type { FileState } from "../../file-changes/index.ts";
import { NOT_STORED, type Recorded } from "../recorded-state.ts";

const PERMISSIONS = 0o7777;
/** A pipe with this name must not block, and a link must not lead elsewhere. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Returns undefined if nothing is at the path. */
export function lstatIfThere(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isSystemError(error) || isBadName(error)) return undefined;
    throw error;
  }
}

/** Identifies a version of a file without reading it. */
function versionOf({ ino, size, mtimeMs, ctimeMs, mode }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`;
}

export interface StateReader {
  maxFileBytes: number;
  /** Stores bytes and returns their id. */
  put(bytes: Uint8Array): string;
}

/** Reads a file or a link, without following the link. Returns null for anything that is not recorded. */
export function readState(path: string, { maxFileBytes, put }: StateReader, stats = lstatIfThere(path)): Recorded {
  if (!stats) return null;
  const unread = (): Recorded => ({
    type: stats.isSymbolicLink() ? "symlink" : "file",
    mode: stats.mode & PERMISSIONS,
    size: stats.size,
    object: NOT_STORED + versionOf(stats),
  });
  try {
    if (stats.isSymbolicLink()) {
      const target = readlinkSync(path, "buffer");
      return { type: "symlink", mode: 0o777, size: target.length, object: put(target) };
    }
    if (!stats.isFile()) return null;
    if (stats.size > maxFileBytes) return unread();
    const bytes = readRegularFile(path);
    return bytes && { type: "file", mode: stats.mode & PERMISSIONS, size: bytes.length, object: put(bytes) };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    if (errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT" || !isSystemError(error)) throw error;
    return unread();
  }
}

/** Reads what is at a path now, to compare it or to replace it. Returns undefined if there is nothing that undo handles. */
export function readFileState(path: string): FileState | undefined | "other" {
  const stats = lstatIfThere(path);
  if (!stats) return undefined;
  if (stats.isSymbolicLink()) return { type: "symlink", mode: 0o777, bytes: readlinkSync(path, "buffer") };
  const bytes = stats.isFile() ? readRegularFile(path) : null;
  return bytes ? { type: "file", mode: stats.mode & PERMISSIONS, bytes } : "other";
}

/** Returns null if the path is not a regular file. */
function readRegularFile(path: string): Buffer | null {
  const fd = openSync(path, READ);
  try {
    return fstatSync(fd).isFile() ? readFileSync(fd) : null;
  } finally {
    closeSync(fd);
  }
}
