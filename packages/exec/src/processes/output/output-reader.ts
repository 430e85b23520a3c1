import { within } from "@pintle/foundation";
import type { ChildOutput } from "../child/child-output.ts";

const DRAIN_MS = 100;
/** No pipe holds more (Linux: 64 KiB, at most 1 MiB), so anything beyond was written after the command exited. */
const PIPE_BYTES = 1024 * 1024;

export type ReadableOutput = Pick<ChildOutput, "read" | "discardRest">;

/** Reads a child's output as fast as it is consumed, until the pipe ends or, after the child's exit, is empty. */
export class OutputReader {
  readonly #output: ReadableOutput;
  readonly #take: (chunk: Uint8Array) => Promise<void> | undefined;
  readonly #finished: Promise<void>;
  #taking: Promise<void> | undefined;
  #bytesRead = 0;
  #isOver = false;

  /** Starts reading immediately. `take` may return a promise to slow the command down. */
  constructor(output: ReadableOutput, take: (chunk: Uint8Array) => Promise<void> | undefined) {
    this.#output = output;
    this.#take = take;
    this.#finished = this.#read();
    this.#finished.catch(() => {}); // `drain` reports an error of `take`
  }

  /**
   * Called at the child's exit; nothing is taken afterwards. Does not wait for the end of the pipe, because a background child
   * may hold it open for hours. Throws what `take` threw.
   */
  async drain(): Promise<void> {
    const bytesAtExit = this.#bytesRead;
    await within(DRAIN_MS, this.#finished);
    // A slow disk or a busy event loop may have delayed reading. Whatever the pipe contained at the exit still belongs to the
    // command, however late it is read.
    while (!this.#isOver && this.#bytesRead - bytesAtExit < PIPE_BYTES && (await this.#isBehind()));
    this.#isOver = true;
  }

  async #read(): Promise<void> {
    try {
      for (let chunk = await this.#output.read(); chunk && !this.#isOver; chunk = await this.#output.read()) {
        this.#bytesRead += chunk.length;
        this.#taking = this.#take(chunk);
        if (this.#taking) await this.#taking;
        this.#taking = undefined;
      }
    } finally {
      this.#isOver = true;
      // Never rejects: a broken pipe ends it.
      void this.#output.discardRest();
    }
  }

  /** Returns whether something can be read right now. */
  async #isBehind(): Promise<boolean> {
    const bytesBefore = this.#bytesRead;
    if (this.#taking) {
      await this.#taking;
      return true;
    }
    await nextTurn();
    await nextTurn();
    return this.#bytesRead !== bytesBefore || this.#taking !== undefined;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
