import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "@pintle/foundation";
import { FileLock } from "./file-lock.ts";

/**
 * Memory that all processes of this machine share and that no command in the sandbox sees, because its `/dev` is private.
 * pintle's own directory may differ between processes of the same user.
 */
const SHARED = "/dev/shm";

/** The locks of a directory with protected names: one for all processes of the user on this machine, one for pintle's own directory. */
export class OwnerLocks {
  /** The shared one first. */
  readonly paths: readonly string[];
  readonly #locks: readonly FileLock[];

  /** Throws the system's error. */
  constructor(directory: string, name: string) {
    const shared = sharedDirectory();
    this.paths = [...(shared === undefined ? [] : [shared]), directory].map((place) => join(place, `${name}.lock`));
    const locks: FileLock[] = [];
    try {
      for (const path of this.paths) locks.push(new FileLock(path));
    } catch (error) {
      for (const lock of locks) lock.release();
      throw error;
    }
    this.#locks = locks;
  }

  /** Changes all of them to this kind, without waiting. Returns false if another process blocks one. */
  tryTo(kind: "read" | "write"): boolean {
    const isDone = this.#locks.every((lock) => lock.tryTo(kind));
    // A write lock on only some of them would keep others waiting.
    if (!isDone && kind === "write") for (const lock of this.#locks) lock.tryTo("read");
    return isDone;
  }

  release(): void {
    for (const lock of this.#locks) lock.release();
  }
}

/** Returns undefined on a system without shared memory. Throws if another user has taken the name. */
function sharedDirectory(): string | undefined {
  if (!lstatSync(SHARED, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const uid = process.getuid?.() ?? 0;
  const path = join(SHARED, `pintle-${uid}`);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return undefined; // nothing can be created there
    if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o022) !== 0)
      throw Object.assign(new Error(`${path} belongs to another user`), { code: "EACCES", errno: -13 });
  }
  return path;
}
