import { basename, dirname, join } from "node:path";
import { type Disk, isSystemError } from "@pintle/foundation";
import { AppendFile, type FileIdentity } from "../disk/append-file.ts";
import { keepAs, makePrivateDirectory } from "../disk/atomic-file.ts";
import type { SessionHeader } from "../entries/entries.ts";
import { SessionError } from "../session-error.ts";
import { fileTime } from "./session-paths.ts";

export type FsyncPolicy = "turn" | "always" | "never";

export interface StorageNotice {
  level: "info" | "warning" | "error";
  message: string;
  /** Numbers of the lines that could not be read. */
  code?: "damaged_session";
  count?: number;
  lines?: number[];
}

/**
 * `buffered`: the file does not exist yet. `unsaved`: the write failed, and the entry is only in memory. `foreign`: another program
 * writes to that file, so nothing was written.
 */
export type AppendOutcome = "stored" | "buffered" | "unsaved" | "foreign";

export interface Lock {
  readonly isLost: boolean;
  release(): void;
}

export interface SessionFileParts {
  path: string;
  header: () => SessionHeader;
  /** Number of entries. */
  count: () => number;
  /** Returns the lines of the entries from this position on, without LF. The file does not keep them in memory. */
  lines: (from: number) => Iterable<string>;
  disk: Disk;
  fsync: FsyncPolicy;
  now: () => number;
  notify: (notice: StorageNotice) => void;
  /** Throws SessionError if another process has the lock. */
  lock: (path: string) => Lock;
}

/** State of the file when a session is opened. */
export interface ExistingFile {
  /** `path`, with links followed. */
  target: string;
  identity: FileIdentity;
  /** Undefined if no lock could be created because the directory is not writable. */
  lock: Lock | undefined;
  /** Kept byte for byte before the header. */
  titleSlot: Uint8Array | undefined;
  endsWithLineFeed: boolean;
  /** Some lines could not be read. */
  isDamaged: boolean;
  /** An older version, which must not be appended to. */
  isOutdated: boolean;
  /** False if it has no header; it becomes a session when there is something to store. */
  isSession: boolean;
}

type State = "absent" | "current" | "behind";

/** One session on disk. The file is created on demand, appended to, and rewritten as a whole where appending is not enough. */
export class SessionFile {
  readonly path: string;
  readonly #parts: SessionFileParts;
  readonly #file: AppendFile;
  readonly #titleSlot: Uint8Array | undefined;
  #lock: Lock | undefined;
  /** `behind`: memory has entries that the disk lacks, and only a rewrite can store them. */
  #state: State = "absent";
  /**
   * How many entries the file contains. Undefined if it must not be appended to, for lack of a header or of the right
   * version.
   */
  #stored: number | undefined;
  /** A write failed, and the failure was reported. */
  #isReported = false;
  /** Backup names of the original when the file is replaced. */
  #backups: string[] = [];

  constructor(parts: SessionFileParts, existing?: ExistingFile) {
    this.#parts = parts;
    this.path = parts.path;
    this.#file = new AppendFile(parts.disk, existing?.target ?? parts.path, existing);
    if (!existing) return;
    this.#titleSlot = existing.titleSlot;
    this.#lock = existing.lock;
    if (existing.isSession && !existing.isOutdated) this.#markStored();
    else if (existing.isSession) this.#state = "behind";
    if (existing.isDamaged) this.#backups.push(`${existing.target}.corrupt-${fileTime(parts.now())}`);
    if (existing.isOutdated) this.#backups.push(`${existing.target}.bak`);
  }

  get isAbsent(): boolean {
    return this.#state === "absent";
  }

  /** The entry is already one of `lines`. */
  append(line: string): AppendOutcome {
    if (this.#state === "absent") return "buffered";
    return this.#store(() => {
      if (this.#lock?.isLost) return "foreign";
      if (this.#state === "behind") return this.#catchUp();
      const found = this.#file.check();
      if (found === "changed") return "foreign";
      if (found === "missing") return this.#restore();
      this.#file.append(line);
      return this.#finishWrite();
    });
  }

  /** Writes the header and all lines so far at once. */
  create(): AppendOutcome {
    return this.#store(() => {
      makePrivateDirectory(this.#parts.disk, dirname(this.#file.path));
      if (!this.#acquireLock()) return "foreign";
      if (this.#file.check() === "same") return this.#rewrite();
      if (!this.#file.create(Buffer.concat([...this.#content()]))) return "foreign";
      return this.#finishWrite();
    });
  }

  /** The same for a file that starts with a history: it is written completely or not at all. */
  createWhole(): AppendOutcome {
    return this.#store(() => this.#rewrite());
  }

  /** Retries failed writes, then flushes to disk if the settings require it. */
  sync(): AppendOutcome {
    return this.#sync(() => this.#file.sync());
  }

  /** The same in the background. */
  syncSoon(): AppendOutcome {
    return this.#sync(() => this.#file.syncSoon((error) => this.#fail(error)));
  }

  #sync(toMedium: () => void): AppendOutcome {
    if (this.#state === "absent" || (this.#state === "behind" && !this.#isReported)) return "buffered";
    return this.#store(() => {
      const outcome = this.#state === "behind" ? this.#catchUp() : "stored";
      if (outcome === "stored" && this.#parts.fsync !== "never") toMedium();
      return outcome;
    });
  }

  /** Records that the caller has flushed the file. */
  close(): void {
    this.#file.close();
    this.#lock?.release();
    this.#lock = undefined;
  }

  #acquireLock(): boolean {
    try {
      this.#lock ??= this.#parts.lock(this.#file.path);
      return true;
    } catch (error) {
      if (error instanceof SessionError) return false;
      throw error;
    }
  }

  #store(step: () => AppendOutcome): AppendOutcome {
    try {
      return step();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#fail(error);
      return "unsaved";
    }
  }

  #fail(error: Error): void {
    this.#file.close();
    this.#state = "behind";
    this.#report(error);
  }

  /** Reports a failure once, until a write succeeds again. */
  #report(error: Error): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const message = `Cannot write session file ${this.path} (${error.message}). The conversation continues in memory, and each new entry retries the write.`;
    this.#parts.notify({ level: "error", message });
  }

  #markStored(): void {
    this.#state = "current";
    this.#stored = this.#parts.count();
    if (!this.#isReported) return;
    this.#isReported = false;
    this.#parts.notify({ level: "info", message: `Session file ${this.path} can be written again.` });
  }

  #finishWrite(): AppendOutcome {
    this.#markStored();
    if (this.#parts.fsync === "always") this.#file.sync();
    return "stored";
  }

  /** A rewrite never leaves a broken file. If there is no room for a second copy, there may be room to append what is missing. */
  #catchUp(): AppendOutcome {
    try {
      return this.#rewrite();
    } catch (error) {
      if (!isSystemError(error) || this.#stored === undefined || this.#file.check() !== "same") throw error;
      for (const line of this.#parts.lines(this.#stored)) {
        this.#file.append(line);
        this.#stored += 1;
      }
      return this.#finishWrite();
    }
  }

  #restore(): AppendOutcome {
    const outcome = this.#rewrite();
    const message = `Session file ${this.path} had disappeared and was recreated.`;
    if (outcome === "stored") this.#parts.notify({ level: "warning", message });
    return outcome;
  }

  /** Replaces the file with everything in memory. */
  #rewrite(): AppendOutcome {
    const { disk } = this.#parts;
    const { path } = this.#file;
    makePrivateDirectory(disk, dirname(path));
    if (!this.#acquireLock()) return "foreign";
    const found = this.#file.check();
    if (found === "changed") return "foreign";
    const backups = found === "same" ? this.#backups : [];
    this.#file.replace({
      temporary: join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}.tmp`),
      chunks: this.#content(),
      beforeRename: () => {
        for (const backup of backups) keepAs(disk, path, this.#freeName(backup));
      },
    });
    this.#backups = [];
    this.#markStored();
    return "stored";
  }

  #freeName(path: string): string {
    const isTaken = this.#parts.disk.statSync(path, { throwIfNoEntry: false }) !== undefined;
    return isTaken ? `${path}-${fileTime(this.#parts.now())}` : path;
  }

  /** Writes in chunks of an efficient size. */
  *#content(): Iterable<Buffer> {
    if (this.#titleSlot) yield Buffer.from(this.#titleSlot);
    let text = `${JSON.stringify(this.#parts.header())}\n`;
    for (const line of this.#parts.lines(0)) {
      text += `${line}\n`;
      if (text.length < MIN_WRITE) continue;
      yield Buffer.from(text);
      text = "";
    }
    if (text !== "") yield Buffer.from(text);
  }
}

const MIN_WRITE = 1 << 20;
