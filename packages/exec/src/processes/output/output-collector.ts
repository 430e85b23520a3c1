import { type KeptEnds, keepEnds, type OutputLimits } from "./kept-ends.ts";
import { OutputResolver } from "./output-resolver.ts";
import { OutputSpill, type SpillResult, type SpillTarget } from "./output-spill.ts";
import { OutputTail } from "./output-tail.ts";
import { keepTail, toPlainText } from "./terminal-text.ts";

export interface CollectedOutput extends KeptEnds {
  totalLines: number;
  /** Bytes received. */
  totalBytes: number;
  /** What is neither in the start nor in the end, if the output was cut. */
  omitted?: { lines: number; bytes: number };
  /** Set only if the output was cut and there was a place to store it. */
  spill?: SpillResult;
}

/**
 * Collects raw output of any size and returns the text that a terminal would finally show, or as much of it as the limits allow.
 * As soon as something would be lost, the whole output goes to a file: resolved like the text, so that a progress bar does not
 * fill the disk and a search finds words that contained color codes.
 */
export class OutputCollector {
  readonly #limits: OutputLimits;
  readonly #resolver = new OutputResolver((bytes) => this.#take(bytes));
  readonly #tail: OutputTail;
  readonly #spillTarget: SpillTarget | undefined;
  #start: Buffer | undefined;
  #spill: OutputSpill | undefined;
  #spilling: Promise<void> | undefined;
  #totalBytes = 0;

  constructor(limits: OutputLimits, spillTarget: SpillTarget | undefined) {
    this.#limits = limits;
    this.#tail = new OutputTail(limits.maxBytes);
    this.#spillTarget = spillTarget;
  }

  /** Adds a chunk. If it returns a promise, await it before adding the next one. */
  append(chunk: Uint8Array): Promise<void> | undefined {
    this.#totalBytes += chunk.length;
    this.#spilling = undefined;
    this.#resolver.add(chunk);
    return this.#spilling;
  }

  /** Returns the end of what has arrived so far, in at most this many bytes. */
  peek(maxBytes: number): string {
    const settled = this.#tail.bytes(maxBytes);
    const hasStart = settled.length === this.#tail.totalBytes;
    const text = toPlainText(Buffer.concat([settled, this.#resolver.pending()]), { hasStart, hasEnd: false });
    return keepTail(text, { maxLines: this.#limits.maxLines, maxBytes }).text;
  }

  async finish(): Promise<CollectedOutput> {
    this.#resolver.end();
    const raw = this.#tail.bytes();
    const isWhole = raw.length === this.#tail.totalBytes;
    const end = toPlainText(raw, { hasStart: isWhole, hasEnd: true });
    const start = this.#start ? toPlainText(this.#start, { hasStart: true, hasEnd: false }) : end;
    const kept = keepEnds({ start, end, isWhole }, this.#limits);
    if (kept.isCut) this.#startSpill();
    const spill = await this.#spill?.finish();
    const { totalLines, totalBytes } = this.#tail;
    const omitted = { lines: totalLines - kept.lines, bytes: totalBytes - kept.bytes };
    return {
      ...kept,
      totalLines,
      totalBytes: this.#totalBytes,
      ...(kept.isCut && { omitted }),
      ...(spill && { spill }),
    };
  }

  #take(bytes: Uint8Array): void {
    if (!this.#tail.hasRoomFor(bytes.length)) {
      this.#start ??= this.#firstBytes(bytes);
      this.#startSpill();
    }
    this.#spilling = this.#spill?.write(bytes) ?? this.#spilling;
    this.#tail.append(bytes);
  }

  /** Returns the first bytes of everything so far plus this chunk, before anything is dropped. */
  #firstBytes(next: Uint8Array): Buffer {
    const { maxBytes, headShare = 0 } = this.#limits;
    return Buffer.concat([this.#tail.bytes(), next.subarray(0, maxBytes)]).subarray(0, Math.ceil(maxBytes * headShare));
  }

  #startSpill(): void {
    if (this.#spill || !this.#spillTarget) return;
    this.#spill = new OutputSpill(this.#spillTarget);
    void this.#spill.write(this.#tail.bytes()); // never rejects: `finish` reports a failing disk
  }
}
