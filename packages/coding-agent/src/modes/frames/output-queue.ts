import type { Timers } from "@pintle/foundation";

/** What the sink gets at once: few system calls for small lines, and visible progress within large ones. */
const PIECE_BYTES = 256 * 1024;

/** Where bytes go. Either call may return a promise: the reader is slow, and it settles when everything was taken. */
export interface FrameSink {
  write(data: string | Uint8Array): unknown;
  flush(): unknown;
}

interface Piece {
  data: string | Uint8Array;
  bytes: number;
}

export interface OutputListener {
  /** A slow reader has taken what it was given, and got what it could take of the rest. */
  onProgress(): void;
  /** The reader is gone; called once, nothing is written afterwards. */
  onLost(error: unknown): void;
}

/**
 * Lines to a sink, in order. While the sink is busy they wait here, where they can be counted. The first line of a turn of
 * the event loop is written at once, those that follow in the same turn together at its end: one system call for all the
 * answers to a pipelined host, or for all that a tool call causes.
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
  /** A line was written in this turn of the event loop. */
  #isCollecting = false;
  #progress = Promise.withResolvers<void>();

  constructor(sink: FrameSink, listener: OutputListener, soon: Timers["soon"]) {
    this.#sink = sink;
    this.#listener = listener;
    this.#soon = soon;
  }

  /** The reader has not yet taken the last write. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Everything the reader has not taken. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Resolves when the reader takes something or is lost. */
  progress(): Promise<void> {
    return this.#progress.promise;
  }

  /** Adds the LF; returns the size of the line in bytes. */
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

  /** Does not wait for the end of the turn. */
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

  /** As many lines as fit into one. */
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
      this.#lose(error); // whatever the reason, the wire is broken: a host cannot read on behind a gap
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
