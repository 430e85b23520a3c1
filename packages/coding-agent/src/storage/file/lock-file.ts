import { constants, readFileSync } from "node:fs";
import { isRecord } from "@pintle/ai";
import { isWithoutLinks } from "../disk/atomic-file.ts";
import { type Disk, errorCode, PRIVATE_FILE, writeFully } from "../disk/disk.ts";
import { textOf } from "../entries/json-value.ts";
import type { ProcessIdentity } from "./process-identity.ts";

const STALE_MS = 15_000;
const MAX_ATTEMPTS = 100;
/** Ours have a few hundred. */
const MAX_BYTES = 64 * 1024;

export interface LockContext {
  disk: Disk;
  process: ProcessIdentity;
  now: () => number;
}

interface LockRecord extends ProcessIdentity {
  /** Of this one lock, so that it is never taken for another. */
  token: string;
}

/** A file that exists while one process holds it. */
export class LockFile {
  readonly #path: string;
  readonly #context: LockContext;
  readonly #own: LockRecord;

  constructor(path: string, context: LockContext) {
    this.#path = path;
    this.#context = context;
    this.#own = { ...context.process, token: crypto.getRandomValues(new Uint8Array(6)).toHex() };
  }

  /** undefined: the lock is ours now. Otherwise who has it. */
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

  /** false: another process has it. */
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
   * Two processes may find the same dead lock, and the slower one must not remove what the faster one has just made. So
   * a process that replaces a lock holds a lock on exactly that lock, named by its token, and looks again before the replacement.
   * Returns who else is at it, or undefined when the dead lock is gone.
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

  /** A link appears with its content; of several processes one succeeds. */
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

  /** For a moment the file is empty, which reads as held. */
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
      // Beside a session from elsewhere anything may have this name, and a pipe would be waited for.
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
    if (now() - refreshedAt > STALE_MS) return true;
    if (record.host !== process.host) return false;
    if (record.pid === process.pid) return record.startedAt !== process.startedAt;
    return !isRunning(record.pid);
  }
}

/** Whatever else stands in the file belongs to no process that could be asked: only its age counts. */
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

function isRunning(pid: number): boolean {
  if (pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return errorCode(error) !== "ESRCH"; // it exists, but belongs to another user
  }
}

/** Killed, but not yet collected by its parent: it will write no more. Only Linux tells. */
function isZombie(pid: number): boolean {
  try {
    // The name before the state may hold anything, closing brackets too.
    return /^.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false; // no such file system, or the process has just gone and the next look will tell
  }
}
