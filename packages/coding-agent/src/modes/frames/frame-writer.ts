import { systemTimers, type Timers, within } from "@pintle/foundation";
import { inChunks } from "./chunks.ts";
import { type FrameSink, OutputQueue } from "./output-queue.ts";
import type { Frame } from "./update-frames.ts";
import type { UpdateLayout, UpdateMode } from "./update-json.ts";
import { type TypeFilter, UpdateMerger } from "./update-merger.ts";

/** Past this many unread bytes the model stream is paused. */
const PAUSE_BYTES = 64 * 1024 * 1024;
/** Past this many unread bytes nothing more should be asked for. */
const BEHIND_BYTES = 1024 * 1024;

/** How long work waits for a reader to hear that it begins. */
const DELIVERY_MS = 1_000;

export interface FrameWriterOptions {
  sink: FrameSink;
  timers?: Timers;
  layout?: UpdateLayout;
}

/**
 * The only output to stdout. Frames are written in the order of `send`. While the reader is slow, frames are buffered
 * and updates keep being merged: a slow host costs memory for what happened, not for how often it would have been sent.
 */
export class FrameWriter {
  /** The reader is gone; called once, nothing is written afterwards. */
  onLost: (error: unknown) => void = () => {};
  /** The reader has taken something; called when it was slow. */
  onRead: () => void = () => {};
  /** Progress of a host's own tool is passed on as the host sent it. */
  isHostTool: (toolName: string) => boolean = () => false;
  readonly #timers: Timers;
  readonly #output: OutputQueue;
  readonly #merger: UpdateMerger;
  #isChunked = false;
  #lines = 0;
  #timer: { dueAt: number; cancel(): void } | undefined;

  constructor({ sink, timers = systemTimers, layout = "twice" }: FrameWriterOptions) {
    this.#timers = timers;
    const listener = {
      onProgress: () => {
        this.#sendDueUpdates(this.#timers.now());
        this.onRead();
      },
      onLost: (error: unknown) => {
        this.#cancelTimer();
        this.onLost(error);
      },
    };
    this.#output = new OutputQueue(sink, listener, timers.soon);
    this.#merger = new UpdateMerger({
      emit: (line) => this.#push(line),
      isHostTool: (toolName) => this.isHostTool(toolName),
      layout,
    });
  }

  /** From now on lines over `MAX_FRAME_BYTES` leave in chunks. */
  sendInChunks(): void {
    this.#isChunked = true;
  }

  #push(line: string): number {
    if (!this.#isChunked) return this.#output.push(line);
    let bytes = 0;
    this.#lines += 1;
    for (const part of inChunks(line, `chunk-${this.#lines}`)) bytes += this.#output.push(part);
    return bytes;
  }

  /** The frame is read now or, if it is an update, later: it must not be changed afterwards. */
  send(frame: Frame): void {
    if (this.#output.isLost) return;
    const now = this.#timers.now();
    this.#merger.add(frame, now);
    this.#sendDueUpdates(now);
  }

  setUpdateMode(mode: UpdateMode): void {
    this.#merger.setMode(mode, this.#timers.now());
  }

  /** From now on nothing of another type is written; undefined: everything is. What waits is sent first. */
  setFilter(isWanted: TypeFilter | undefined): void {
    this.#merger.setFilter(isWanted, this.#timers.now());
  }

  /** A promise while the host is so far behind that no more should be produced. */
  ready(): Promise<void> | undefined {
    return this.#unreadBytes > PAUSE_BYTES ? this.#waitForReader(PAUSE_BYTES) : undefined;
  }

  /**
   * Resolves when the system has all frames so far and the reader had a turn to take them. One that does not read is not
   * waited for long.
   */
  async delivered(): Promise<void> {
    this.#output.flush();
    if (this.#output.queuedBytes > 0) await within(DELIVERY_MS, this.#waitForReader(0), this.#timers);
    await new Promise<void>((resolve) => this.#timers.soon(resolve));
  }

  /** Resolves when a slow reader has taken something, or is gone. */
  progress(): Promise<void> {
    return this.#output.progress();
  }

  /** The reader has closed the pipe. */
  get isLost(): boolean {
    return this.#output.isLost;
  }

  /** The reader is slow, and a good deal waits for it. */
  get isBehind(): boolean {
    return this.#output.isBlocked && this.#unreadBytes > BEHIND_BYTES;
  }

  /** Deltas count once the reader keeps them waiting; before that it is the merger's own window, which ends by itself. */
  get #unreadBytes(): number {
    const { queuedBytes, isBlocked } = this.#output;
    return isBlocked ? queuedBytes + this.#merger.waitingChars : queuedBytes;
  }

  /**
   * Sends what waits and resolves when the reader has taken everything, or is lost, or has taken nothing for `stallMs`:
   * a reader that has stopped must not keep the process, a slow one gets all the time it needs. Whether it took everything.
   */
  async drain({ stallMs }: { stallMs?: number } = {}): Promise<boolean> {
    this.#merger.flush(this.#timers.now());
    this.#cancelTimer();
    // What came meanwhile may wait for the end of the turn, which is no progress of a reader.
    for (this.#output.flush(); this.#output.queuedBytes > 0; this.#output.flush()) {
      const hasProgressed = this.#output.progress().then(() => true);
      if (stallMs === undefined) await hasProgressed;
      else if (!(await within(stallMs, hasProgressed, this.#timers))) return false;
    }
    return !this.#output.isLost;
  }

  async #waitForReader(bytes: number): Promise<void> {
    while (this.#unreadBytes > bytes) await this.#output.progress();
  }

  #sendDueUpdates(now: number): void {
    if (this.#output.isBlocked) return; // updates are merged until the reader goes on
    this.#merger.flushDue(now);
    const dueAt = this.#merger.nextDue();
    if (dueAt === this.#timer?.dueAt) return;
    this.#cancelTimer();
    if (dueAt !== undefined) this.#startTimer(dueAt, dueAt - now);
  }

  #startTimer(dueAt: number, ms: number): void {
    const cancel = this.#timers.start(() => {
      this.#timer = undefined;
      this.#sendDueUpdates(this.#timers.now());
    }, ms);
    this.#timer = { dueAt, cancel };
  }

  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
