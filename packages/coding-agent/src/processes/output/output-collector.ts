import { type KeptEnds, keepEnds, type OutputLimits } from "./kept-ends.ts";
import { OutputResolver } from "./output-resolver.ts";
import { OutputSpill, type SpillResult, type SpillTarget } from "./output-spill.ts";
import { OutputTail } from "./output-tail.ts";
import { keepTail, toPlainText } from "./terminal-text.ts";

export interface CollectedOutput extends KeptEnds {
  totalLines: number;
  /** As they came. */
  totalBytes: number;
  /** What is neither in the beginning nor in the end, when it was cut. */
  omitted?: { lines: number; bytes: number };
  /** Only when the output was cut and there was a place to keep it. */
  spill?: SpillResult;
}

/**
 * Takes raw output of any size; gives the text that a terminal would show in the end, or as much of it as may be kept. As soon
 * as something would be lost, the whole goes to a file: resolved like the text, so that a progress bar does not fill the disk and
 * a search in the file finds words that had colours in them.
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

  /** A returned promise is to be awaited before the next chunk. */
  append(chunk: Uint8Array): Promise<void> | undefined {
    this.#totalBytes += chunk.length;
    this.#spilling = undefined;
    this.#resolver.add(chunk);
    return this.#spilling;
  }

  /** The end of what has come so far, in at most this many bytes. */
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

  /** Of everything so far and this. Nothing has been dropped yet. */
  #firstBytes(next: Uint8Array): Buffer {
    const { maxBytes, headShare = 0 } = this.#limits;
    return Buffer.concat([this.#tail.bytes(), next.subarray(0, maxBytes)]).subarray(0, Math.ceil(maxBytes * headShare));
  }

  #startSpill(): void {
    if (this.#spill || !this.#spillTarget) return;
    this.#spill = new OutputSpill(this.#spillTarget);
    void this.#spill.write(this.#tail.bytes()); // does not reject: a failing disk is told by `finish`
  }
}
