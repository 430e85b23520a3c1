// As root, some tests start processes as the unprivileged user that every system has. These processes cannot access a
// checkout in a private home directory or a private TMPDIR.
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

export const isRoot = process.getuid?.() === 0;
export const NOBODY = 65_534;

/** The directory for temporary files; as root, one that every user can access. */
export function sharedTemporary(): string {
  if (!isRoot) return tmpdir();
  return [tmpdir(), "/tmp", "/var/tmp"].find((path) => existsSync(path) && isReachable(path)) ?? tmpdir();
}

/**
 * A path at which every user can read the file or directory: its own, or that of a copy. All runs with the same key, the name and
 * version of what is copied, share one copy.
 */
export function reachable(path: string, key: string): string {
  if (!isRoot || isReachable(path)) return path;
  const kept = join(sharedTemporary(), `pintle-tests-${key}`);
  const copy = join(kept, basename(path));
  if (!existsSync(kept)) keep(path, kept);
  // Anyone could have created a directory of that name, and the tests run what is in it.
  if (lstatSync(kept).uid !== process.getuid?.()) throw new Error(`${kept} belongs to another user: remove it`);
  return copy;
}

/** Every user may enter all directories above the path, and read it. */
function isReachable(path: string): boolean {
  const real = realpathSync(path);
  if ((statSync(real).mode & 0o005) !== 0o005) return false;
  for (let above = dirname(real); ; above = dirname(above)) {
    if ((statSync(above).mode & 0o001) === 0) return false;
    if (above === dirname(above)) return true;
  }
}

/** Created completely or not at all, however many test processes start at once. */
function keep(path: string, kept: string): void {
  const own = `${kept}.${process.pid}`;
  cpSync(path, join(own, basename(path)), { recursive: true, verbatimSymlinks: true });
  openToAll(own);
  try {
    renameSync(own, kept);
  } catch (error) {
    if (!existsSync(kept)) throw error;
    rmSync(own, { recursive: true }); // another process was faster
  }
}

function openToAll(path: string): void {
  const info = lstatSync(path);
  if (info.isSymbolicLink()) return;
  const ownersRights = (info.mode >> 6) & 0o5;
  chmodSync(path, info.mode | ownersRights | (ownersRights << 3));
  if (info.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
