import { systemTimers, type Timers, within } from "@pintle/foundation";
import { inChunks } from "./chunks.ts";
import { type FrameSink, OutputQueue } from "./output-queue.ts";
import type { Frame } from "./update-frames.ts";
import type { UpdateLayout, UpdateMode } from "./update-json.ts";
import { type TypeFilter, UpdateMerger } from "./update-merger.ts";

/** Number of unread bytes above which the model's stream is paused. */
const PAUSE_BYTES = 64 * 1024 * 1024;
/** Number of unread bytes above which commands wait. */
const BEHIND_BYTES = 1024 * 1024;

/** How long work waits for the reader to receive the announcement that it starts. */
const DELIVERY_MS = 1_000;

export interface FrameWriterOptions {
  sink: FrameSink;
  timers?: Timers;
  layout?: UpdateLayout;
}

/**
 * The only writer to stdout. Writes frames in the order of `send`. While the reader is slow, it buffers frames and keeps
 * merging updates, so memory grows with what happened, not with the number of updates.
 */
export class FrameWriter {
  /** Called once when the reader is gone. Nothing is written after that. */
  onLost: (error: unknown) => void = () => {};
  /** Called when a slow reader has read something. */
  onRead: () => void = () => {};
  /** Whether a call belongs to a host tool, whose progress is passed on as the host sent it. */
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

  /** From now on, sends lines over `MAX_FRAME_BYTES` in chunks. */
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

  /** Sends a frame. The caller must not change it afterwards, because updates are serialized later. */
  send(frame: Frame): void {
    if (this.#output.isLost) return;
    const now = this.#timers.now();
    this.#merger.add(frame, now);
    this.#sendDueUpdates(now);
  }

  setUpdateMode(mode: UpdateMode): void {
    this.#merger.setMode(mode, this.#timers.now());
  }

  /** From now on, writes only frames of these types, or all if undefined. Sends pending frames first. */
  setFilter(isWanted: TypeFilter | undefined): void {
    this.#merger.setFilter(isWanted, this.#timers.now());
  }

  /** Returns a promise while the host is so far behind that the producer should pause. */
  ready(): Promise<void> | undefined {
    return this.#unreadBytes > PAUSE_BYTES ? this.#waitForReader(PAUSE_BYTES) : undefined;
  }

  /**
   * Resolves when the system has all frames so far and the reader had a chance to read them. Does not wait long for a reader
   * that does not read.
   */
  async delivered(): Promise<void> {
    this.#output.flush();
    if (this.#output.queuedBytes > 0) await within(DELIVERY_MS, this.#waitForReader(0), this.#timers);
    await new Promise<void>((resolve) => this.#timers.soon(resolve));
  }

  /** Resolves when a slow reader has read something or is gone. */
  progress(): Promise<void> {
    return this.#output.progress();
  }

  /** Whether the reader has closed the pipe. */
  get isLost(): boolean {
    return this.#output.isLost;
  }

  /** Whether the reader is slow and many bytes are waiting for it. */
  get isBehind(): boolean {
    return this.#output.isBlocked && this.#unreadBytes > BEHIND_BYTES;
  }

  /** Counts pending deltas only if the reader delays them, not while they wait in the merger's own window. */
  get #unreadBytes(): number {
    const { queuedBytes, isBlocked } = this.#output;
    return isBlocked ? queuedBytes + this.#merger.waitingChars : queuedBytes;
  }

  /**
   * Sends everything pending. Resolves when the reader has read everything, is gone, or has read nothing for `stallMs`: a
   * slow reader gets the time it needs, but a stopped one must not keep the process alive. Returns whether everything was
   * read.
   */
  async drain({ stallMs }: { stallMs?: number } = {}): Promise<boolean> {
    this.#merger.flush(this.#timers.now());
    this.#cancelTimer();
    // New frames may wait for the end of the turn, which is not progress by the reader.
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
    if (this.#output.isBlocked) return; // keeps merging updates until the reader continues
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
