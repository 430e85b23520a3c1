import { dirname, join, relative, sep } from "node:path";
import { attempt, makePrivateDirectory, syncDirectory } from "./disk/atomic-file.ts";
import { type Disk, isSystemError } from "./disk/disk.ts";
import type { Lock } from "./file/session-file.ts";
import { fileTime } from "./file/session-paths.ts";
import { trashDirectory } from "./listing/deleted-paths.ts";
import { SessionError } from "./session-error.ts";

export interface SessionTrashParts {
  disk: Disk;
  sessionDir: string;
  /** Throws when another process writes that session. */
  lock(path: string): Lock;
  now(): number;
}

/**
 * Where deleted sessions go: a folder inside the directory of sessions, so that going there is a rename. Nothing in it is ever
 * removed by the program.
 */
export class SessionTrash {
  readonly #parts: SessionTrashParts;

  constructor(parts: SessionTrashParts) {
    this.#parts = parts;
  }

  /** `path` is one that the listing gave. */
  put(path: string): void {
    const { disk, sessionDir, now } = this.#parts;
    const folder = `${fileTime(now())}_${crypto.randomUUID().slice(0, 8)}`;
    const target = join(trashDirectory(sessionDir), folder, relative(sessionDir, path));
    this.#move(path, target, disk.realpathSync(path));
  }

  /** Gives the path it has again. */
  restore(path: string): string {
    const { sessionDir } = this.#parts;
    const [folder = "", ...rest] = relative(trashDirectory(sessionDir), path).split(sep);
    const target = join(sessionDir, ...rest);
    this.#move(path, target, target);
    this.#removeEmpty(dirname(path), join(trashDirectory(sessionDir), folder));
    return target;
  }

  /** No process can open or make the session at the place that is locked while it goes. */
  #move(from: string, to: string, locked: string): void {
    const { disk, lock } = this.#parts;
    try {
      makePrivateDirectory(disk, dirname(to));
      const held = lock(locked);
      try {
        if (isThere(disk, to)) throw new SessionError("busy", `There is a session at its place: ${to}`);
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

/** Whole outputs of commands lie beside the session, in a directory of its name. */
function outputsOf(path: string): string {
  return path.replace(/\.jsonl$/, "");
}

function isThere(disk: Disk, path: string): boolean {
  return disk.statSync(path, { throwIfNoEntry: false }) !== undefined;
}
