import type { SessionFrame } from "./session-frame.ts";

export interface RingLimits {
  frames: number;
  /** The size limit, in characters, because these determine the memory use. */
  bytes: number;
}

/** The most recent frames of a session, for hosts that reconnect. */
export class FrameRing {
  readonly #limits: RingLimits;
  #frames: SessionFrame[] = [];
  /** The index of the oldest kept frame. Released places before it are removed together from time to time. */
  #head = 0;
  #bytes = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  push(frame: SessionFrame): void {
    this.#frames.push(frame);
    this.#bytes += frame.json.length;
    const { frames, bytes } = this.#limits;
    while (this.#head < this.#frames.length && (this.#length > frames || this.#bytes > bytes)) this.#drop();
    if (this.#head > 256 && this.#head > this.#frames.length / 2) {
      this.#frames = this.#frames.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Yields all kept frames, oldest first. */
  *kept(): IterableIterator<SessionFrame> {
    for (let at = this.#head; at < this.#frames.length; at += 1) yield this.#frames[at]!;
  }

  /** Whether every frame after `seq` is kept; `last` is the number of the newest frame. */
  covers(seq: number, last: number): boolean {
    if (seq >= last) return seq === last;
    const oldest = this.#frames[this.#head];
    return oldest !== undefined && oldest.seq <= seq + 1;
  }

  clear(): void {
    this.#frames = [];
    this.#head = 0;
    this.#bytes = 0;
  }

  get #length(): number {
    return this.#frames.length - this.#head;
  }

  #drop(): void {
    this.#bytes -= this.#frames[this.#head]!.json.length;
    this.#frames[this.#head] = RELEASED;
    this.#head += 1;
  }
}

/** Replaces a dropped frame, so that its text can be freed before the array is compacted. */
const RELEASED: SessionFrame = { seq: 0, type: "", json: "" };
