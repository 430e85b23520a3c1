import { constants } from "node:fs";
import { dirname } from "node:path";
import { type Disk, isSystemError, isWithoutLinks, PRIVATE_DIRECTORY, writeFully } from "@pintle/foundation";

export interface Replacement {
  /** In the same directory as the target; otherwise the rename would not be atomic. */
  temporary: string;
  mode: number;
  chunks: Iterable<Uint8Array>;
  /** Called at the last moment before the old file loses its name. */
  beforeRename?: () => void;
}

/**
 * Replaces a file so that the target is either the old or the new file at every moment, even after a power failure.
 * Returns the new size.
 */
export function replaceFile(disk: Disk, target: string, replacement: Replacement): number {
  const { temporary, mode, chunks } = replacement;
  let size = 0;
  try {
    const fd = disk.openSync(temporary, "wx", mode);
    try {
      for (const chunk of chunks) {
        writeFully(disk, fd, chunk);
        size += chunk.length;
      }
      disk.fsyncSync(fd);
    } finally {
      disk.closeSync(fd);
    }
    replacement.beforeRename?.();
    disk.renameSync(temporary, target);
  } catch (error) {
    attempt(() => disk.unlinkSync(temporary)); // report the original failure
    throw error;
  }
  syncDirectory(disk, dirname(target));
  return size;
}

/** Makes a created or renamed name durable if the system supports it; there is no alternative if it does not. */
export function syncDirectory(disk: Disk, directory: string): void {
  attempt(() => {
    const fd = disk.openSync(directory, "r");
    try {
      disk.fsyncSync(fd);
    } finally {
      disk.closeSync(fd);
    }
  });
}

/**
 * Creates a second name, which survives when the first is given to another file. Needs no space, so it works on a full
 * disk.
 */
export function keepAs(disk: Disk, path: string, backup: string): void {
  try {
    disk.linkSync(path, backup);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    disk.copyFileSync(path, backup, constants.COPYFILE_EXCL);
  }
}

export function makePrivateDirectory(disk: Disk, path: string): void {
  disk.mkdirSync(path, { recursive: true, mode: PRIVATE_DIRECTORY });
}

/** Runs a step whose failure has no remedy. */
export function attempt(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
