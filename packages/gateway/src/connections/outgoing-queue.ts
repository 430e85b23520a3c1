import type { OutgoingFrame } from "../host.ts";
import { WaitingFrame } from "./waiting-frame.ts";

/** The array is compacted when it has this many empty places, and at least as many as waiting frames. */
const TIDY_AT = 256;

/**
 * Frames that wait for a slow host, in order. An update is merged only into the last waiting frame of the same session,
 * so the order within a session never changes. There is no order between sessions.
 */
export class OutgoingQueue {
  #frames: (WaitingFrame | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  /** The last waiting frame of each session. */
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

  /** Removes and returns the next frame, after which no update is merged into it. */
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

  /** Drops everything. Returns, for each session whose events were dropped, the number of the last frame before them. */
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
