import { closeSync } from "node:fs";
import { openPipe } from "./posix-pipe.ts";

/** Slow enough to cost nothing, fast enough (some MB/s) that a server which logs is not held up. */
const DISCARD_PAUSE_MS = 10;

/** What one child, and everything it started, writes. One reader; end with `discardRest` or `close`. */
export class ChildOutput {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #descriptor: number | undefined;
  readonly #onClosed: (output: ChildOutput) => void;
  #closed: Promise<void> | undefined;
  #isDiscarding = false;

  constructor(
    stream: ReadableStream<Uint8Array>,
    descriptor: number | undefined,
    onClosed: (output: ChildOutput) => void,
  ) {
    this.#reader = stream.getReader();
    this.#descriptor = descriptor;
    this.#onClosed = onClosed;
  }

  get isDiscarding(): boolean {
    return this.#isDiscarding;
  }

  /** undefined: every writer has closed its end, or the pipe is broken, which is no better. */
  async read(): Promise<Uint8Array | undefined> {
    try {
      return (await this.#reader.read()).value;
    } catch {
      return undefined;
    }
  }

  /**
   * Keeps the pipe open until its last writer is gone. Closing it instead would end a server left in the background with a
   * broken pipe at its next log line.
   */
  async discardRest(): Promise<void> {
    this.#isDiscarding = true;
    while (!this.#closed && (await this.read())) await Bun.sleep(DISCARD_PAUSE_MS);
    await this.close();
  }

  close(): Promise<void> {
    this.#closed ??= this.#release();
    return this.#closed;
  }

  async #release(): Promise<void> {
    await this.#reader.cancel().catch(() => {}); // broken already
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#onClosed(this);
  }
}

/** The place for a child's stdout or stderr, to be made before the child. */
export interface Outlet {
  readonly stdio: number | "pipe";
  /** `stream` is what Bun gives for the child when it made the connection. Call exactly one of the two. */
  connect(stream: unknown, onClosed: (output: ChildOutput) => void): ChildOutput;
  abandon(): void;
}

export function createOutlet(): Outlet {
  const pipe = openPipe();
  if (!pipe) {
    return {
      stdio: "pipe",
      connect: (stream, onClosed) => new ChildOutput(stream as ReadableStream<Uint8Array>, undefined, onClosed),
      abandon: () => {},
    };
  }
  const { readEnd, writeEnd } = pipe;
  return {
    stdio: writeEnd,
    connect(_stream, onClosed) {
      closeSync(writeEnd); // ours would keep the reader from ever seeing the end
      return new ChildOutput(Bun.file(readEnd).stream(), readEnd, onClosed);
    },
    abandon() {
      closeSync(writeEnd);
      closeSync(readEnd);
    },
  };
}
