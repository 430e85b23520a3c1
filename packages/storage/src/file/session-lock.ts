import { basename, dirname, join } from "node:path";
import { type LockContext, LockFile } from "@pintle/foundation";
import { attempt } from "../disk/atomic-file.ts";
import { SessionError } from "../session-error.ts";

const REFRESH_MS = 5_000;

/** The right to write one session file, held by a lock file that other processes can see. */
export class SessionLock {
  readonly #file: LockFile;
  readonly #timer: NodeJS.Timeout;
  #isLost = false;

  /** Throws if another process has the session open. */
  static acquire(sessionFile: string, context: LockContext): SessionLock {
    const file = new LockFile(join(dirname(sessionFile), `.${basename(sessionFile)}.lock`), context);
    const holder = file.claim();
    if (holder) throw new SessionError("busy", `Session is in use by another process (pid ${holder.pid})`);
    return new SessionLock(file);
  }

  private constructor(file: LockFile) {
    this.#file = file;
    this.#timer = setInterval(() => this.refresh(), REFRESH_MS);
    this.#timer.unref();
  }

  /** Another process took over, because this one had not renewed the lock for too long. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Renews the lock. */
  refresh(): void {
    if (this.#isLost) return;
    attempt(() => {
      this.#isLost = !this.#file.refresh();
    });
  }

  release(): void {
    clearInterval(this.#timer);
    attempt(() => this.#file.release());
  }
}
