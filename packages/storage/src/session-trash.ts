import { dirname, join, relative, sep } from "node:path";
import { type Disk, isSystemError } from "@pintle/foundation";
import { attempt, makePrivateDirectory, syncDirectory } from "./disk/atomic-file.ts";
import type { Lock } from "./file/session-file.ts";
import { fileTime } from "./file/session-paths.ts";
import { trashDirectory } from "./listing/deleted-paths.ts";
import { SessionError } from "./session-error.ts";

export interface SessionTrashParts {
  disk: Disk;
  sessionDir: string;
  /** Throws if another process has the session open. */
  lock(path: string): Lock;
  now(): number;
}

/**
 * Holds deleted sessions in a folder inside the sessions directory, so that a deletion is a rename. The program never removes
 * anything from it.
 */
export class SessionTrash {
  readonly #parts: SessionTrashParts;

  constructor(parts: SessionTrashParts) {
    this.#parts = parts;
  }

  /** `path` comes from the listing. */
  put(path: string): void {
    const { disk, sessionDir, now } = this.#parts;
    const folder = `${fileTime(now())}_${crypto.randomUUID().slice(0, 8)}`;
    const target = join(trashDirectory(sessionDir), folder, relative(sessionDir, path));
    this.#move(path, target, disk.realpathSync(path));
  }

  /** Returns the path that it has again. */
  restore(path: string): string {
    const { sessionDir } = this.#parts;
    const [folder = "", ...rest] = relative(trashDirectory(sessionDir), path).split(sep);
    const target = join(sessionDir, ...rest);
    this.#move(path, target, target);
    this.#removeEmpty(dirname(path), join(trashDirectory(sessionDir), folder));
    return target;
  }

  /** Holds a lock on the path while the file is moved, so that no process can open or create the session there. */
  #move(from: string, to: string, locked: string): void {
    const { disk, lock } = this.#parts;
    try {
      makePrivateDirectory(disk, dirname(to));
      const held = lock(locked);
      try {
        if (isThere(disk, to)) throw new SessionError("busy", `Another session already exists at this path: ${to}`);
        disk.renameSync(from, to);
        const [outputs, target] = [from, to].map(outputsOf);
        if (isThere(disk, outputs!)) attempt(() => disk.renameSync(outputs!, target!));
      } finally {
        held.release();
      }
      for (const directory of [dirname(to), dirname(from)]) syncDirectory(disk, directory);
    } catch (error) {
      if (isSystemError(error)) throw new SessionError("invalid_request", `Cannot move ${from}: ${error.message}`);
      throw error;
    }
  }

  #removeEmpty(inner: string, outer: string): void {
    for (const directory of new Set([inner, outer])) attempt(() => this.#parts.disk.rmdirSync(directory));
  }
}

/** Complete command outputs are next to the session, in a directory with its name. */
function outputsOf(path: string): string {
  return path.replace(/\.jsonl$/, "");
}

function isThere(disk: Disk, path: string): boolean {
  return disk.statSync(path, { throwIfNoEntry: false }) !== undefined;
}
