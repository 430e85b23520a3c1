import { closeSync } from "node:fs";
import { openPipe } from "./posix-pipe.ts";

/** Slow enough to cost nothing, and fast enough (some MB/s) not to block a server that logs. */
const DISCARD_PAUSE_MS = 10;

/** The output of one child and everything it started, for one reader. Must end with `discardRest` or `close`. */
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

  /** Returns undefined if every writer has closed its end, or the pipe is broken. */
  async read(): Promise<Uint8Array | undefined> {
    try {
      return (await this.#reader.read()).value;
    } catch {
      return undefined;
    }
  }

  /**
   * Keeps the pipe open until its last writer is gone. Closing it instead would kill a background server with a broken pipe at
   * its next log line.
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
    await this.#reader.cancel().catch(() => {}); // already broken
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#onClosed(this);
  }
}

/** An end for a child's stdout or stderr, created before the child. */
export interface Outlet {
  readonly stdio: number | "pipe";
  /** `stream` is Bun's stream for the child, if Bun made the connection. Call exactly one of the two. */
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
      closeSync(writeEnd); // otherwise the reader would never see the end
      return new ChildOutput(Bun.file(readEnd).stream(), readEnd, onClosed);
    },
    abandon() {
      closeSync(writeEnd);
      closeSync(readEnd);
    },
  };
}
