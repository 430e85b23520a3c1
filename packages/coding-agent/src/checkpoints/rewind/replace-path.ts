import {
  chmodSync,
  closeSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { canonicalPath, errorCode, HeldDirectory, isMissing, isSystemError, namesBelow } from "@pintle/foundation";
import { type FileState, isSameState } from "../../file-changes/index.ts";
import { readFileState } from "../scan/read-state.ts";

/** The file is no longer what it was when the rewind was planned. */
export class ChangedMeanwhileError extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} was changed meanwhile`);
    this.path = path;
  }
}

export interface PathReplacement {
  path: string;
  /** What must be at the path. */
  current: FileState | undefined;
  /** Undefined deletes the file. */
  target: FileState | undefined;
  /** The name of the temporary file, so that a later process can find what this one left. */
  temporary: string;
}

const PRIVATE_MODE = 0o600;

/** Replaces or deletes one file atomically. The path has no links, and the file is checked again right before the change. */
export function replacePath({ path, current, target, temporary }: PathReplacement): void {
  const within = HeldDirectory.open(dirname(path), path, { create: target !== undefined });
  const at = within.pathOf(basename(path));
  const check = () => {
    within.check();
    const now = readFileState(at);
    if (now === "other" || !isSameState(now, current)) throw new ChangedMeanwhileError(path);
  };
  const temporaryPath = within.pathOf(temporary);
  try {
    check(); // before anything is written
    if (!target) {
      if (current) unlinkSync(at);
      return;
    }
    writeTemporary(temporaryPath, target, at);
    check();
    renameSync(temporaryPath, at);
  } catch (error) {
    removeIfThere(temporaryPath);
    throw error;
  } finally {
    within.close();
  }
}

function writeTemporary(path: string, { type, bytes, mode }: FileState, replaced: string): void {
  removeIfThere(path);
  if (type === "symlink") {
    symlinkSync(Buffer.from(bytes), path);
    return;
  }
  const fd = openSync(path, "wx", PRIVATE_MODE);
  try {
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
    const old = lstatSync(replaced, { throwIfNoEntry: false });
    if (old) attempt(() => fchownSync(fd, old.uid, old.gid));
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}

/** Keeps content under a new name next to a file. Returns the path. */
export function keepCopy(path: string, { type, bytes, mode }: FileState): string {
  const within = HeldDirectory.open(dirname(path), path);
  try {
    for (let number = 1; ; number += 1) {
      const name = `${basename(path)}.before-rewind${number === 1 ? "" : `-${number}`}`;
      const at = within.pathOf(name);
      try {
        if (type === "symlink") symlinkSync(Buffer.from(bytes), at);
        else {
          const fd = openSync(at, "wx", PRIVATE_MODE);
          for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
          closeSync(fd);
          chmodSync(at, mode);
        }
        return `${dirname(path)}/${name}`;
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
      }
    }
  } finally {
    within.close();
  }
}

/** Removes the directories above a deleted file that have become empty, up to the root. */
export function removeEmptyDirectories(path: string, roots: readonly string[]): void {
  for (let directory = dirname(path); roots.some((root) => isBelow(directory, root)); directory = dirname(directory)) {
    try {
      if (canonicalPath(directory) !== directory) return;
      rmdirSync(directory);
    } catch (error) {
      if (isSystemError(error)) return; // it is not empty, or no longer exists
      throw error;
    }
  }
}

function isBelow(path: string, root: string): boolean {
  return path !== root && path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

/** Whether undo may touch a path: no part of it is `.git`, a link, or pintle's own directory. */
export function isSafePath(path: string, home: string): boolean {
  if (path.split("/").includes(".git") || namesBelow(path, home)) return false;
  try {
    return canonicalPath(dirname(path)) === dirname(path);
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function attempt(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
