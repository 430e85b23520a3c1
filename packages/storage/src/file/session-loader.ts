import type { Stats } from "node:fs";
import { cutText } from "@pintle/ai";
import type { Disk } from "@pintle/foundation";
import { readLines } from "../disk/line-reader.ts";
import { type FileRecords, RecordSorter } from "../entries/session-records.ts";
import { SessionError } from "../session-error.ts";

export interface LoadedFile extends FileRecords {
  size: number;
  /** Identity of the file that was read, to detect a replacement. */
  stats: Stats;
}

/** Reads a session file without changing it. `shownPath` is the path for messages. */
export async function loadSessionFile(disk: Disk, path: string, shownPath = path): Promise<LoadedFile> {
  const fd = openRegularFile(disk, path, shownPath);
  try {
    const stats = disk.fstatSync(fd);
    const sorter = new RecordSorter();
    const size = await readLines(disk, fd, (bytes, text, isTerminated) => sorter.add(bytes, isTerminated, text));
    if (sorter.isForeignContent) throw cannotOpen(shownPath, "header is missing or malformed");
    return { ...sorter.records, size, stats };
  } finally {
    disk.closeSync(fd);
  }
}

export function sessionNotFound(shownPath: string): SessionError {
  return new SessionError("not_found", `Session file not found: ${shorten(shownPath)}`);
}

/** Refuses pipes, whose open blocks, and devices, which may never end. */
function openRegularFile(disk: Disk, path: string, shownPath: string): number {
  const stats = disk.statSync(path, { throwIfNoEntry: false });
  if (!stats) throw sessionNotFound(shownPath);
  if (!stats.isFile()) throw cannotOpen(shownPath, "it is not a file");
  return disk.openSync(path, "r");
}

export function cannotOpen(shownPath: string, reason: string): SessionError {
  return new SessionError("invalid_request", `Cannot open session "${shorten(shownPath)}": ${reason}`);
}

const MAX_SHOWN = 4096;

/** A host may send anything as a path; the error need not repeat megabytes of it. */
function shorten(path: string): string {
  return cutText(path, MAX_SHOWN);
}
