import { writeSync } from "node:fs";
import { errorText } from "@pintle/ai";
import { errorCode } from "@pintle/foundation";

const FULL_PIPE_WAIT_MS = 5;
const STDERR = 2;

/**
 * Writes to stdout and stderr in one sequence, because on a terminal both share a screen and their order must not change.
 */
export class OrderedOutput {
  #pieces: { fd: 1 | 2; bytes: Buffer }[] = [];
  #writing: Promise<void> | undefined;
  #fault: Error | undefined;

  /** Set while a reader cannot keep up. */
  get busy(): Promise<void> | undefined {
    return this.#writing;
  }

  write(fd: 1 | 2, text: string): void {
    this.#pieces.push({ fd, bytes: Buffer.from(text) });
    if (this.#writing || this.#writeAll()) return;
    this.#writing = this.#writeSlowly().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when everything is written, or with the reason why stdout did not accept some of it. */
  async drained(): Promise<Error | undefined> {
    await this.#writing;
    return this.#fault;
  }

  async #writeSlowly(): Promise<void> {
    do await Bun.sleep(FULL_PIPE_WAIT_MS);
    while (!this.#writeAll());
  }

  /** Returns false if the reader of the first piece must read before it accepts more. */
  #writeAll(): boolean {
    for (let piece = this.#pieces[0]; piece; piece = this.#pieces[0]) {
      try {
        const size = writeSync(piece.fd, piece.bytes);
        if (size < piece.bytes.length) {
          piece.bytes = piece.bytes.subarray(size);
          continue;
        }
      } catch (error) {
        if (errorCode(error) === "EAGAIN") return false;
        // A reader that has seen enough is not an error, and a failure of stderr cannot be reported.
        if (errorCode(error) !== "EPIPE" && piece.fd !== STDERR)
          this.#fault ??= error instanceof Error ? error : new Error(errorText(error));
      }
      this.#pieces.shift();
    }
    return true;
  }
}
