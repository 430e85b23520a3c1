import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { canonicalPath } from "./canonical-path.ts";
import { type HeldDirectory, PathExchangedError } from "./held-directory.ts";
import { isSystemError } from "./system-error.ts";

/** The calls that a replacement needs, so that a caller can supply its own disk. */
export type ReplacementDisk = Pick<
  typeof fs,
  | "accessSync"
  | "closeSync"
  | "fchmodSync"
  | "fchownSync"
  | "fsyncSync"
  | "lstatSync"
  | "openSync"
  | "renameSync"
  | "statSync"
  | "unlinkSync"
  | "writeSync"
>;

export interface Replacement {
  content: Uint8Array | Iterable<Uint8Array>;
  /** Mode of a new file; an existing one keeps its own. Default: the system's mode for new files. */
  mode?: number;
  /** Denies access to all other users, whatever the old file allowed and regardless of its owner. Default false. */
  isPrivate?: boolean;
  /** Flushes the content to the disk before the old file is replaced. Default false. */
  fsync?: boolean;
  /** Called right before the rename; if it throws, everything stays unchanged. */
  beforeRename?: () => void;
  /** The directory in which the file is replaced; a link in place of the file is rejected. */
  within?: HeldDirectory;
  disk?: ReplacementDisk;
}

export interface Replaced {
  /** The file itself, if the given path was a link to it. */
  path: string;
  created: boolean;
  bytes: number;
}

const NEW_FILE_MODE = 0o666;
const MAX_PATH_BYTES = 4096;
const PRIVATE_MODE = 0o600;
const PERMISSIONS = 0o7777;
const PLAIN_PERMISSIONS = 0o777;

/**
 * Replaces a file's content atomically: at every moment it is the old file or the new one, even if the process is killed. A link
 * stays and its target is replaced; mode and, if the system allows it, owner are kept. The directory has to exist. Only regular
 * files are replaced: anything else throws, with the system's code if there is one.
 */
export function replaceFile(path: string, replacement: Replacement): Replaced {
  const { disk = fs, mode = NEW_FILE_MODE, isPrivate = false, within } = replacement;
  const target = within ? within.pathOf(basename(path)) : canonicalPath(path);
  const old = within
    ? disk.lstatSync(target, { throwIfNoEntry: false })
    : disk.statSync(target, { throwIfNoEntry: false });
  if (old?.isSymbolicLink()) throw new PathExchangedError(path);
  if (old?.isDirectory()) throw systemError("EISDIR", -21, target);
  if (old && !old.isFile()) throw new Error(`${target} is not a regular file`);
  if (old) disk.accessSync(target, fs.constants.W_OK); // replacing it would bypass its write protection

  const temporary = join(dirname(target), `.pintle-${crypto.randomUUID()}.tmp`);
  // Longer paths would work relative to a held directory, but leftovers of a killed process are removed by path.
  if (within && Buffer.byteLength(join(within.real, basename(temporary))) >= MAX_PATH_BYTES)
    throw systemError("ENAMETOOLONG", -36, path);
  // The new file must not be readable by anyone whom the old file's mode excluded.
  const fd = disk.openSync(temporary, "wx", old || isPrivate ? PRIVATE_MODE : mode);
  try {
    let bytes = 0;
    try {
      bytes = writeAll(disk, fd, replacement.content);
      if (old && !isPrivate) keepOwnerAndMode(disk, fd, old);
      if (replacement.fsync) disk.fsyncSync(fd);
    } finally {
      disk.closeSync(fd);
    }
    replacement.beforeRename?.();
    within?.check();
    disk.renameSync(temporary, target);
    return { path: within ? join(within.real, basename(path)) : target, created: !old, bytes };
  } catch (error) {
    attempt(() => disk.unlinkSync(temporary)); // the original failure is reported
    throw error;
  }
}

function writeAll(disk: ReplacementDisk, fd: number, content: Replacement["content"]): number {
  let bytes = 0;
  for (const chunk of content instanceof Uint8Array ? [content] : content) {
    let offset = 0;
    while (offset < chunk.length) offset += disk.writeSync(fd, chunk, offset, chunk.length - offset);
    bytes += chunk.length;
  }
  return bytes;
}

function keepOwnerAndMode(disk: ReplacementDisk, fd: number, old: fs.Stats): void {
  const isOwnerKept = attempt(() => disk.fchownSync(fd, old.uid, old.gid));
  // Setuid and setgid bits must not pass to another owner.
  const kept = isOwnerKept ? PERMISSIONS : PLAIN_PERMISSIONS;
  disk.fchmodSync(fd, old.mode & kept);
}

/** Runs a step whose failure has no consequence. Returns whether it succeeded. */
function attempt(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return false;
  }
}

function systemError(code: string, errno: number, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, errno });
}
