import { constants } from "node:fs";
import { isRecord } from "@pintle/ai";
import { type Disk, isWithoutLinks, PRIVATE_FILE, writeFully } from "./disk.ts";
import { isRunning, type ProcessIdentity } from "./process-identity.ts";
import { errorCode } from "./system-error.ts";

const STALE_MS = 15_000;
const MAX_ATTEMPTS = 100;
/** Our lock files contain a few hundred bytes. */
const MAX_BYTES = 64 * 1024;

export interface LockContext {
  disk: Disk;
  process: ProcessIdentity;
  now: () => number;
}

interface LockRecord extends ProcessIdentity {
  /** Identifies this one lock, so that it is never confused with another. */
  token: string;
}

/** A lock file that exists while a process holds it. */
export class LockFile {
  readonly #path: string;
  readonly #context: LockContext;
  readonly #own: LockRecord;

  constructor(path: string, context: LockContext) {
    this.#path = path;
    this.#context = context;
    this.#own = { ...context.process, token: crypto.getRandomValues(new Uint8Array(6)).toHex() };
  }

  /** Returns undefined if the lock is ours now, otherwise its owner. */
  claim(): ProcessIdentity | undefined {
    let holder: LockRecord | undefined;
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      if (this.#create()) return undefined;
      const found = this.#read();
      if (!found) continue; // released in between
      holder = found.record;
      if (!this.#isStale(found)) break;
      const rival = this.#takeOver(holder);
      if (rival === "none") return undefined;
      if (rival) return rival;
    }
    return holder;
  }

  /** Returns false if another process has the lock. */
  refresh(): boolean {
    const found = this.#read();
    if (!found) return this.#create();
    if (found.record.token !== this.#own.token) return false;
    const seconds = this.#context.now() / 1000;
    this.#context.disk.utimesSync(this.#path, seconds, seconds);
    return true;
  }

  release(): void {
    if (this.#read()?.record.token === this.#own.token) this.#context.disk.unlinkSync(this.#path);
  }

  /**
   * Two processes may find the same dead lock, and the slower one must not remove the lock that the faster one has just created.
   * So a process that replaces a lock first takes a lock on exactly that lock, named by its token, and checks again. Returns the
   * other process that is replacing it, or undefined once the dead lock is gone.
   */
  #takeOver(dead: LockRecord): ProcessIdentity | "none" | undefined {
    const guard = new LockFile(`${this.#path}.${dead.token}`, this.#context);
    const rival = guard.claim();
    if (rival) return rival;
    try {
      if (this.#read()?.record.token !== dead.token) return undefined;
      this.#publish((temporary) => this.#context.disk.renameSync(temporary, this.#path));
      return "none";
    } finally {
      guard.release();
    }
  }

  /** Creates the lock with a link, which appears together with its content, so only one of several processes succeeds. */
  #create(): boolean {
    const { disk } = this.#context;
    try {
      this.#publish((temporary) => {
        disk.linkSync(temporary, this.#path);
        disk.unlinkSync(temporary);
      });
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      if (isWithoutLinks(error)) return this.#createInPlace();
      throw error;
    }
  }

  /** Creates the file directly. It is empty for a moment, which reads as held. */
  #createInPlace(): boolean {
    try {
      this.#write(this.#path);
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
  }

  #publish(step: (temporary: string) => void): void {
    const temporary = `${this.#path}.${this.#own.token}.tmp`;
    this.#write(temporary);
    try {
      step(temporary);
    } catch (error) {
      this.#context.disk.unlinkSync(temporary);
      throw error;
    }
  }

  #write(path: string): void {
    const { disk } = this.#context;
    const fd = disk.openSync(path, "wx", PRIVATE_FILE);
    try {
      writeFully(disk, fd, Buffer.from(JSON.stringify(this.#own)));
    } catch (error) {
      disk.unlinkSync(path);
      throw error;
    } finally {
      disk.closeSync(fd);
    }
  }

  #read(): { record: LockRecord; refreshedAt: number } | undefined {
    const { disk } = this.#context;
    let fd: number;
    try {
      // Next to another program's session, anything may have this name, and reading a pipe would block.
      fd = disk.openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw error;
    }
    try {
      const facts = disk.fstatSync(fd);
      const mayBeOurs = facts.isFile() && facts.size <= MAX_BYTES;
      const record = mayBeOurs ? parseRecord(disk.readFileSync(fd, "utf8")) : UNREADABLE;
      return { record, refreshedAt: facts.mtimeMs };
    } finally {
      disk.closeSync(fd);
    }
  }

  #isStale({ record, refreshedAt }: { record: LockRecord; refreshedAt: number }): boolean {
    const { process, now } = this.#context;
    return now() - refreshedAt > STALE_MS || !isRunning(record, process);
  }
}

/** Any other content identifies no process that could be checked, so only its age matters. */
const UNREADABLE: LockRecord = { pid: 0, host: "", startedAt: "", token: "unreadable" };

function parseRecord(text: string): LockRecord {
  try {
    const record: unknown = JSON.parse(text);
    if (!isRecord(record)) return UNREADABLE;
    const { pid, host, startedAt, token } = record;
    if (typeof pid !== "number" || !Number.isInteger(pid) || !/^[0-9a-f]+$/.test(textOf(token))) return UNREADABLE;
    return { pid, host: textOf(host), startedAt: textOf(startedAt), token: textOf(token) };
  } catch (error) {
    if (error instanceof SyntaxError) return UNREADABLE;
    throw error;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
