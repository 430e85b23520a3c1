import { countNewlines } from "@pintle/foundation";

const NEWLINE = 0x0a;
/** Maximum number of bytes after the shown lines in which lines are counted. */
const COUNTED_AHEAD_BYTES = 64 * 1024 * 1024;

export interface LineRange {
  /** 1-based. */
  firstLine: number;
  maxLines: number;
  /** Maximum bytes for whole lines, without the last newline. */
  maxBytes: number;
  /** Maximum bytes for the first line if it is the only one. */
  maxFirstLineBytes?: number;
}

export interface ScannedLines {
  /** The lines of the range that fit, whole. */
  bytes: Buffer;
  count: number;
  /** Why the lines end there; `end` means that the file has no more. */
  stoppedBy: "end" | "lines" | "bytes";
  /** Number of lines scanned. */
  totalLines: number;
  isTotalExact: boolean;
  /** Set if the first line of the range did not fit. `start` is its offset in the pushed bytes. */
  longLine?: { start: number; bytes: number; isWhole: boolean };
}

type Phase = "skip" | "collect" | "measure" | "count" | "done";

/** Selects lines from a stream of any length and counts the rest. Holds no more in memory than fits into the result. */
export class LineScanner {
  readonly #range: LineRange;
  #phase: Phase = "skip";
  #parts: Buffer[] = [];
  /** Number of bytes of whole lines with their newlines, and of the incomplete line. */
  #wholeBytes = 0;
  #openBytes = 0;
  #count = 0;
  #newlines = 0;
  #position = 0;
  #endsWithNewline = true;
  #stop: { by: "lines" | "bytes"; position: number } | undefined;
  #longLine: { start: number; bytes: number; isWhole: boolean } | undefined;

  constructor(range: LineRange) {
    this.#range = range;
  }

  /** Returns false once it needs no more. */
  push(chunk: Buffer): boolean {
    const steps: Record<Phase, (rest: Buffer) => number> = {
      skip: (rest) => this.#skip(rest),
      collect: (rest) => this.#collect(rest),
      measure: (rest) => this.#measure(rest),
      count: (rest) => this.#countRest(rest),
      done: (rest) => rest.length,
    };
    for (let rest = chunk; rest.length > 0; ) {
      const taken = steps[this.#phase](rest);
      if (taken > 0) this.#endsWithNewline = rest[taken - 1] === NEWLINE;
      this.#position += taken;
      rest = rest.subarray(taken);
    }
    return this.#phase !== "done";
  }

  finish(): ScannedLines {
    const isTotalExact = this.#phase !== "done";
    if (this.#phase === "collect" && this.#openBytes > 0) this.#completeLine();
    const hasMore = this.#stop !== undefined && (this.#stop.by === "bytes" || this.#position > this.#stop.position);
    return {
      bytes: Buffer.concat(this.#parts).subarray(0, this.#wholeBytes),
      count: this.#count,
      stoppedBy: hasMore && this.#stop ? this.#stop.by : "end",
      totalLines: this.#newlines + (this.#endsWithNewline ? 0 : 1),
      isTotalExact,
      ...(this.#longLine && { longLine: { ...this.#longLine, isWhole: this.#longLine.isWhole || isTotalExact } }),
    };
  }

  #skip(rest: Buffer): number {
    const missing = this.#range.firstLine - 1 - this.#newlines;
    const present = missing > 0 ? countNewlines(rest) : 0;
    if (present < missing) {
      this.#newlines += present;
      return rest.length;
    }
    let taken = 0;
    for (let line = 0; line < missing; line += 1) taken = rest.indexOf(NEWLINE, taken) + 1;
    this.#newlines += Math.max(0, missing);
    this.#phase = "collect";
    return taken;
  }

  #collect(rest: Buffer): number {
    const newline = rest.indexOf(NEWLINE);
    const length = newline === -1 ? rest.length : newline;
    const { maxBytes, maxFirstLineBytes = maxBytes } = this.#range;
    if (this.#wholeBytes + this.#openBytes + length > (this.#count === 0 ? maxFirstLineBytes : maxBytes)) {
      this.#stopCollecting("bytes");
      return 0;
    }
    const taken = newline === -1 ? length : length + 1;
    this.#parts.push(Buffer.from(rest.subarray(0, taken)));
    this.#openBytes += taken;
    if (newline !== -1) {
      this.#newlines += 1;
      this.#completeLine();
      if (this.#count >= this.#range.maxLines) this.#stopCollecting("lines", taken);
    }
    return taken;
  }

  #completeLine(): void {
    this.#wholeBytes += this.#openBytes;
    this.#openBytes = 0;
    this.#count += 1;
  }

  #stopCollecting(by: "lines" | "bytes", taken = 0): void {
    this.#stop = { by, position: this.#position + taken };
    this.#phase = "count";
    if (this.#count > 0) return;
    this.#longLine = { start: this.#position - this.#openBytes, bytes: this.#openBytes, isWhole: false };
    this.#phase = "measure";
  }

  #measure(rest: Buffer): number {
    const newline = rest.indexOf(NEWLINE);
    const length = newline === -1 ? rest.length : newline;
    const line = this.#longLine!;
    line.bytes += length;
    line.isWhole = newline !== -1;
    if (newline !== -1) this.#phase = "count";
    else if (line.bytes > COUNTED_AHEAD_BYTES) this.#phase = "done";
    return length;
  }

  #countRest(rest: Buffer): number {
    this.#newlines += countNewlines(rest);
    if (this.#position + rest.length - (this.#stop?.position ?? 0) > COUNTED_AHEAD_BYTES) this.#phase = "done";
    return rest.length;
  }
}
