import { constants } from "node:fs";
import { dirname } from "node:path";
import { type Disk, errorCode, PRIVATE_FILE, writeFully } from "@pintle/foundation";
import { attempt, type Replacement, replaceFile, syncDirectory } from "./atomic-file.ts";

const CREATE = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL;
const APPEND = constants.O_WRONLY | constants.O_APPEND;
const LINE_FEED = 0x0a;

/** Identifies a file across opens. */
export interface FileIdentity {
  dev: number;
  ino: number;
  size: number;
}

/** A file to which only this process is supposed to append, with the identity and size that it should then have. */
export class AppendFile {
  readonly path: string;
  readonly #disk: Disk;
  #known: FileIdentity | undefined;
  #fd: number | undefined;
  #isTorn: boolean;
  #isUnsynced = false;
  #isNewName = false;
  /** The flush that is in progress. */
  #syncing: number | undefined;

  constructor(disk: Disk, path: string, existing?: { identity: FileIdentity; endsWithLineFeed: boolean }) {
    this.#disk = disk;
    this.path = path;
    this.#known = existing && { ...existing.identity };
    this.#isTorn = existing?.endsWithLineFeed === false;
  }

  /** `changed`: another program wrote to it or replaced it. */
  check(): "same" | "missing" | "changed" {
    const found = this.#disk.statSync(this.path, { throwIfNoEntry: false });
    if (!found) return "missing";
    const known = this.#known;
    return known && found.size === known.size && found.ino === known.ino && found.dev === known.dev
      ? "same"
      : "changed";
  }

  /** Returns false if a file with that name exists. */
  create(bytes: Buffer): boolean {
    try {
      this.#fd = this.#disk.openSync(this.path, CREATE, PRIVATE_FILE);
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
    this.#isNewName = true;
    this.#write(bytes);
    return true;
  }

  /**
   * Appends in one write, unless the system accepts only a part at a time. First ends a line that was cut off earlier: a
   * new line glued to the fragment would be lost as well.
   */
  append(line: string): void {
    this.#fd ??= this.#disk.openSync(this.path, APPEND);
    this.#write(Buffer.from(`${this.#isTorn ? "\n" : ""}${line}\n`));
  }

  /** The new file has the old one's mode and takes its name only when complete. */
  replace(replacement: Omit<Replacement, "mode">): void {
    const mode = this.#disk.statSync(this.path, { throwIfNoEntry: false })?.mode;
    this.close(); // some systems cannot rename over an open file
    const size = replaceFile(this.#disk, this.path, { ...replacement, mode: (mode ?? PRIVATE_FILE) & 0o777 });
    const { dev, ino } = this.#disk.statSync(this.path);
    this.#known = { dev, ino, size };
    this.#isTorn = false;
  }

  /** Protects against power failure; written data survives the end of this process in any case. */
  sync(): void {
    if (this.#fd === undefined || !(this.#isUnsynced || this.#syncing === this.#fd)) return;
    this.#disk.fsyncSync(this.#fd);
    this.#isUnsynced = false;
    this.#syncName();
  }

  /** Does the same in the background, because a busy disk is slow and must not delay a run. */
  syncSoon(onFault: (error: Error) => void): void {
    const fd = this.#fd;
    if (!this.#isUnsynced || fd === undefined || this.#syncing === fd) return;
    this.#syncing = fd;
    this.#isUnsynced = false;
    this.#disk.fsync(fd, (error) => {
      if (this.#syncing === fd) this.#syncing = undefined; // otherwise it belongs to a file opened since
      if (this.#fd !== fd) {
        attempt(() => this.#disk.closeSync(fd)); // it should have been closed in the meantime
      } else if (error) {
        this.#isUnsynced = true;
        onFault(error);
      } else {
        this.#syncName();
        this.syncSoon(onFault); // flush what was written in the meantime
      }
    });
  }

  close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    this.#isUnsynced = false;
    if (fd !== undefined && fd !== this.#syncing) attempt(() => this.#disk.closeSync(fd));
  }

  #syncName(): void {
    if (this.#isNewName) syncDirectory(this.#disk, dirname(this.path));
    this.#isNewName = false;
  }

  #write(bytes: Buffer): void {
    const fd = this.#fd!;
    const before = this.#known?.size ?? 0;
    this.#isUnsynced = true;
    try {
      writeFully(this.#disk, fd, bytes);
      if (this.#known) this.#known.size += bytes.length;
      else this.#remember(fd);
      this.#isTorn = false;
    } catch (error) {
      attempt(() => this.#remember(fd)); // part of it may have been written, and that part is ours
      const written = (this.#known?.size ?? 0) - before;
      if (written > 0) this.#isTorn = bytes[written - 1] !== LINE_FEED;
      if (written < bytes.length - 1) throw error;
      // At most the LF is missing: a reader of the file finds the entry, so it must not be written again.
    }
  }

  #remember(fd: number): void {
    const { dev, ino, size } = this.#disk.fstatSync(fd);
    this.#known = { dev, ino, size };
  }
}
