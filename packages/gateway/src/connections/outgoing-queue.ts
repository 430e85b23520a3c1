import type { OutgoingFrame } from "../host.ts";
import { WaitingFrame } from "./waiting-frame.ts";

/** Places of taken frames are given back when there are so many of them, and not fewer than frames that wait. */
const TIDY_AT = 256;

/**
 * What waits for a host that does not read, in order. An update is merged into the frame that waits last for the same
 * session, and into no earlier one: what a session says is never told in another order. Between sessions there is none.
 */
export class OutgoingQueue {
  #frames: (WaitingFrame | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  /** The frame of each session that waits last. */
  readonly #last = new Map<string, WaitingFrame>();

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#head === this.#frames.length;
  }

  push(frame: OutgoingFrame): void {
    const { sessionId } = frame;
    const last = sessionId === undefined ? undefined : this.#last.get(sessionId);
    const before = last?.bytes ?? 0;
    if (last?.absorb(frame)) {
      this.#bytes += last.bytes - before;
      return;
    }
    const waiting = new WaitingFrame(frame);
    this.#frames.push(waiting);
    this.#bytes += waiting.bytes;
    if (sessionId !== undefined) this.#last.set(sessionId, waiting);
  }

  /** The next one, which is no longer merged into. */
  take(): WaitingFrame | undefined {
    const frame = this.#frames[this.#head];
    if (!frame) return undefined;
    this.#frames[this.#head] = undefined;
    this.#head += 1;
    this.#bytes -= frame.bytes;
    if (frame.sessionId !== undefined && this.#last.get(frame.sessionId) === frame) this.#last.delete(frame.sessionId);
    if (this.#head >= TIDY_AT && this.#head * 2 >= this.#frames.length) this.#tidy();
    return frame;
  }

  /** Lets everything go, and gives where each session stood whose events were among it. */
  clear(): Map<string, { seq: number; epoch?: string }> {
    const stood = new Map<string, { seq: number; epoch?: string }>();
    for (const frame of this.#frames.slice(this.#head).filter((one) => one !== undefined)) {
      const { sessionId, seqBefore: seq, epoch } = frame;
      if (sessionId === undefined || seq === undefined || stood.has(sessionId)) continue;
      stood.set(sessionId, { seq, ...(epoch !== undefined && { epoch }) });
    }
    this.#frames = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#last.clear();
    return stood;
  }

  #tidy(): void {
    this.#frames.splice(0, this.#head);
    this.#head = 0;
  }
}
