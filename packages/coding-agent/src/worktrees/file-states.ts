import { lstatSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { errorCode, HeldDirectory, isMissing, PathExchangedError } from "@pintle/foundation";
import type { FileState } from "../file-changes/index.ts";

/** The content of a path: a file or a link, nothing, or something that cannot be compared. */
export type Found = FileState | "nothing" | "other";

/** Git stores no other permissions. */
export const gitMode = (mode: number) => ((mode & 0o100) === 0 ? 0o644 : 0o755);

/** Reads the content of a path without links. A path that leads through a link counts as something else. */
export function readState(path: string): Found {
  let folder: HeldDirectory;
  try {
    folder = HeldDirectory.open(dirname(path), path);
  } catch (error) {
    if (isMissing(error) || errorCode(error) === "ENOTDIR") return "nothing";
    if (error instanceof PathExchangedError) return "other";
    throw error;
  }
  try {
    const own = folder.pathOf(basename(path));
    const stats = lstatSync(own, { throwIfNoEntry: false });
    if (!stats) return "nothing";
    if (stats.isSymbolicLink()) return { type: "symlink", mode: 0o777, bytes: readlinkSync(own, "buffer") };
    return stats.isFile() ? { type: "file", mode: stats.mode & 0o7777, bytes: readFileSync(own) } : "other";
  } finally {
    folder.close();
  }
}

/** Returns all paths above a path, below `root`, the nearest first. */
export function foldersAbove(path: string, root: string): string[] {
  const folder = dirname(path);
  return folder === root || folder === path ? [] : [folder, ...foldersAbove(folder, root)];
}

export const isPresent = (path: string): boolean => look(path) !== undefined;

export const isFolder = (path: string): boolean => look(path)?.isDirectory() === true;

/** Returns what is at a path. Does not follow a link there. */
export function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return undefined; // there is a file above it
    throw error;
  }
}
