import type { Timers } from "@pintle/foundation";

/** Bytes per write: few system calls for small lines, and visible progress within large ones. */
const PIECE_BYTES = 256 * 1024;

/**
 * Destination of the bytes. If the reader is slow, both calls return a promise that settles once everything was accepted.
 */
export interface FrameSink {
  write(data: string | Uint8Array): unknown;
  flush(): unknown;
}

interface Piece {
  data: string | Uint8Array;
  bytes: number;
}

export interface OutputListener {
  /** Called when a slow reader has accepted what it was given and received as much of the rest as it could take. */
  onProgress(): void;
  /** Called once when the reader is gone. Nothing is written after that. */
  onLost(error: unknown): void;
}

/**
 * Writes lines to a sink in order. While the sink is busy, lines wait here, where they can be counted. The first line of a
 * turn of the event loop is written immediately, and the others of the same turn together at its end: one system call for
 * all responses to a pipelining host, or for all events of a tool call.
 */
export class OutputQueue {
  readonly #sink: FrameSink;
  readonly #listener: OutputListener;
  readonly #soon: Timers["soon"];
  #waiting: Piece[] = [];
  #head = 0;
  #queuedBytes = 0;
  #isBlocked = false;
  #isLost = false;
  /** Whether a line was written in this turn of the event loop. */
  #isCollecting = false;
  #progress = Promise.withResolvers<void>();

  constructor(sink: FrameSink, listener: OutputListener, soon: Timers["soon"]) {
    this.#sink = sink;
    this.#listener = listener;
    this.#soon = soon;
  }

  /** The last write, if the reader has not accepted it yet. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Number of bytes that the reader has not accepted. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Resolves when the reader accepts something or is gone. */
  progress(): Promise<void> {
    return this.#progress.promise;
  }

  /** Adds a line and its LF. Returns the size of the line in bytes. */
  push(line: string): number {
    const text = `${line}\n`;
    const bytes = Buffer.byteLength(text);
    if (this.#isLost) return bytes;
    this.#queuedBytes += bytes;
    if (bytes <= PIECE_BYTES) this.#waiting.push({ data: text, bytes });
    else this.#waiting.push(...cutIntoPieces(Buffer.from(text)));
    if (!this.#isCollecting || this.#queuedBytes >= PIECE_BYTES) this.flush();
    return bytes;
  }

  /** Writes immediately, without waiting for the end of the turn. */
  flush(): void {
    this.#pump();
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    this.#soon(() => {
      this.#isCollecting = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (!this.#isBlocked && !this.#isLost && this.#head < this.#waiting.length) this.#write(this.#nextPiece());
  }

  /** Takes as many lines as fit into one write. */
  #nextPiece(): Piece {
    let { data, bytes } = this.#waiting[this.#head++]!;
    while (typeof data === "string" && bytes < PIECE_BYTES) {
      const next = this.#waiting[this.#head];
      if (typeof next?.data !== "string") break;
      data += next.data;
      bytes += next.bytes;
      this.#head += 1;
    }
    if (this.#head === this.#waiting.length) {
      this.#waiting = [];
      this.#head = 0;
    }
    return { data, bytes };
  }

  #write({ data, bytes }: Piece): void {
    try {
      const pending = [this.#sink.write(data), this.#sink.flush()];
      if (pending.some((result) => result instanceof Promise)) {
        this.#isBlocked = true;
        Promise.all(pending).then(
          () => this.#onTaken(bytes),
          (error: unknown) => this.#lose(error),
        );
      } else {
        this.#queuedBytes -= bytes;
      }
    } catch (error) {
      this.#lose(error); // whatever the reason, the connection is broken: a host cannot continue after a gap
    }
  }

  #onTaken(bytes: number): void {
    if (this.#isLost) return;
    this.#isBlocked = false;
    this.#queuedBytes -= bytes;
    this.#pump();
    this.#announceProgress();
    this.#listener.onProgress();
  }

  #lose(error: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#isBlocked = false;
    this.#waiting = [];
    this.#head = 0;
    this.#queuedBytes = 0;
    this.#announceProgress();
    this.#listener.onLost(error);
  }

  #announceProgress(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }
}

function cutIntoPieces(line: Uint8Array): Piece[] {
  const count = Math.ceil(line.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, i) => {
    const data = line.subarray(i * PIECE_BYTES, (i + 1) * PIECE_BYTES);
    return { data, bytes: data.length };
  });
}
