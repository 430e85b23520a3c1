import { ptr } from "bun:ffi";
import { closeSync, openSync } from "node:fs";
import { openLibc } from "../../processes/child/libc.ts";

const F_OFD_SETLK = 37;
const TYPES = { read: 0, write: 1 };

type Control = (fd: number, command: number, lock: Uint8Array) => number;
let control: Control | undefined;

/**
 * A lock on a whole file that the system releases when this process dies, however it dies. It conflicts with the locks of
 * other programs and of other instances in this process.
 */
export class FileLock {
  readonly #fd: number;

  /** Creates the file if it is missing. Throws the system's error. */
  constructor(path: string) {
    this.#fd = openSync(path, "a+", 0o600);
  }

  /** Changes the lock to this kind without waiting. Returns false if another lock is in the way. */
  tryTo(kind: "read" | "write"): boolean {
    control ??= loadControl();
    const lock = new Uint8Array(32); // struct flock: type, whence, start, length 0 for all of it
    new DataView(lock.buffer).setInt16(0, TYPES[kind], true);
    return control(this.#fd, F_OFD_SETLK, lock) === 0;
  }

  release(): void {
    closeSync(this.#fd);
  }
}

function loadControl(): Control {
  const { fcntl } = openLibc({ fcntl: { args: ["i32", "i32", "ptr"], returns: "i32" } });
  return (fd, command, lock) => fcntl(fd, command, ptr(lock));
}
