import { basename, dirname, join } from "node:path";
import { attempt } from "../disk/atomic-file.ts";
import { SessionError } from "../session-error.ts";
import { type LockContext, LockFile } from "./lock-file.ts";

const REFRESH_MS = 5_000;

/** The right to write one session file, held by a file beside it that other processes can see. */
export class SessionLock {
  readonly #file: LockFile;
  readonly #timer: NodeJS.Timeout;
  #isLost = false;

  /** Throws when another process is writing that session. */
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

  /** Another process took over, because this one had not been heard of for too long. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Tells the others that this process still writes. */
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
