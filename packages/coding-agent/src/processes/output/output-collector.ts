import { OutputSpill, type SpillResult, type SpillTarget } from "./output-spill.ts";
import { OutputTail } from "./output-tail.ts";
import { keepTail, type TailLimits, type TailText, toPlainText } from "./terminal-text.ts";

/** Colours and other things that are stripped may take this many times the room of the text between them. */
const RAW_FACTOR = 4;

export interface CollectedOutput extends TailText {
  totalLines: number;
  totalBytes: number;
  /** Only when the output was cut and there was a place to keep it. */
  spill?: SpillResult;
}

/** Takes raw output of any size; gives its end as text. As soon as something would be lost, the whole goes to a file. */
export class OutputCollector {
  readonly #limits: TailLimits;
  readonly #tail: OutputTail;
  readonly #spillTarget: SpillTarget | undefined;
  #spill: OutputSpill | undefined;

  constructor(limits: TailLimits, spillTarget: SpillTarget | undefined) {
    this.#limits = limits;
    this.#tail = new OutputTail(limits.maxBytes * RAW_FACTOR);
    this.#spillTarget = spillTarget;
  }

  get totalLines(): number {
    return this.#tail.totalLines;
  }

  get totalBytes(): number {
    return this.#tail.totalBytes;
  }

  /** A returned promise is to be awaited before the next chunk. */
  append(chunk: Uint8Array): Promise<void> | undefined {
    if (!this.#tail.hasRoomFor(chunk.length)) this.#startSpill();
    const written = this.#spill?.write(chunk);
    this.#tail.append(chunk);
    return written;
  }

  /** The end of what has come so far, in at most this many bytes. */
  peek(maxBytes: number): string {
    const raw = this.#tail.bytes(maxBytes * RAW_FACTOR);
    const text = toPlainText(raw, { hasStart: raw.length === this.totalBytes, hasEnd: false });
    return keepTail(text, { maxLines: this.#limits.maxLines, maxBytes }).text;
  }

  async finish(): Promise<CollectedOutput> {
    const raw = this.#tail.bytes();
    const hasStart = raw.length === this.totalBytes;
    const kept = keepTail(toPlainText(raw, { hasStart, hasEnd: true }), this.#limits);
    const isCut = kept.isCut || !hasStart;
    if (isCut) this.#startSpill();
    const spill = await this.#spill?.finish();
    return { ...kept, isCut, totalLines: this.totalLines, totalBytes: this.totalBytes, ...(spill && { spill }) };
  }

  #startSpill(): void {
    if (this.#spill || !this.#spillTarget) return;
    this.#spill = new OutputSpill(this.#spillTarget);
    void this.#spill.write(this.#tail.bytes()); // everything so far: nothing has been dropped yet
  }
}
