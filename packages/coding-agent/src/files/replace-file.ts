import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { canonicalPath } from "./canonical-path.ts";
import { type HeldDirectory, PathExchangedError } from "./held-directory.ts";
import { isSystemError } from "./system-error.ts";

/** The calls that a replacement needs, so that a caller with a disk of its own can hand it in. */
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
  /** For a file that does not exist yet; an existing one keeps its own. Default: as the system makes new files. */
  mode?: number;
  /** No other user may read the file, whatever the old one allowed and whose it was. Default false. */
  isPrivate?: boolean;
  /** Force the content to the disk before the old one goes. Default false. */
  fsync?: boolean;
  /** The last moment at which the old file has its name; what it throws leaves everything as it was. */
  beforeRename?: () => void;
  /** The directory of the file, which then is replaced in exactly there: a link in the file's place is refused. */
  within?: HeldDirectory;
  disk?: ReplacementDisk;
}

export interface Replaced {
  /** The file itself, when the given path was a link to it. */
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
 * Gives a file new content in one step: at every moment it is the old file or the new one, also when the process is killed.
 * A link stays and what it points to is replaced; mode and, where the system allows it, owner are kept. The directory has
 * to exist. Only regular files are replaced: anything else throws, with the system's code where there is one.
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
  if (old) disk.accessSync(target, fs.constants.W_OK); // replacing it would get round its write protection

  const temporary = join(dirname(target), `.pintle-${crypto.randomUUID()}.tmp`);
  // Below a held directory longer paths would work, but a leftover of a killed process is removed by its path.
  if (within && Buffer.byteLength(join(within.real, basename(temporary))) >= MAX_PATH_BYTES)
    throw systemError("ENAMETOOLONG", -36, path);
  // No user may read through the new file what the mode of the old one forbids.
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
    attempt(() => disk.unlinkSync(temporary)); // what failed before is the reason to report
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
  // Rights to act as the owner must not pass to another one.
  const kept = isOwnerKept ? PERMISSIONS : PLAIN_PERMISSIONS;
  disk.fchmodSync(fd, old.mode & kept);
}

/** For steps that may fail without consequence when the system refuses them. */
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
