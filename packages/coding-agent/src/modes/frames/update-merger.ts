import { toFrameJson } from "./frame-json.ts";
import { MessageIds } from "./message-ids.ts";
import {
  type DeltaUpdate,
  type Frame,
  isDeltaUpdate,
  isMessageUpdate,
  isSameBlock,
  isToolEnd,
  isToolUpdate,
  type MessageUpdate,
  type ToolUpdate,
  withBoundedTail,
  withDelta,
} from "./update-frames.ts";
import { messageUpdateJson, type UpdateLayout, type UpdateMode } from "./update-json.ts";

const FULL_WINDOW_MS = 50;
/** In `full` mode, each update repeats the message, so this limits the cost of a long answer while it streams. */
const FULL_BYTES_PER_MS = 256;
const DELTA_WINDOW_MS = 16;
const TOOL_WINDOW_MS = 100;

/** Whether frames of that type are wanted. */
export type TypeFilter = (type: string) => boolean;

export interface UpdateMergerOptions {
  /** Writes the next line, without LF. Returns its size in bytes. */
  emit(line: string): number;
  /** Whether a call belongs to a host tool, whose progress is passed on as the host sent it. */
  isHostTool(toolName: string): boolean;
  layout: UpdateLayout;
}

/** The block whose deltas are arriving. */
interface StreamingBlock {
  /** Its newest update, sent or not. */
  newest: DeltaUpdate;
  /** The deltas that have not been sent. JavaScript joins strings lazily, so adding one copies nothing. */
  waiting: string | undefined;
  /** Earliest time to send its next delta. */
  opensAt: number;
}

/**
 * Converts frames to lines, in order. Only updates may be held back: a later delta of the same block is appended to the
 * pending one, later progress of the same tool call replaces the pending one, and any other frame first sends everything
 * pending. Adding a delta costs only the delta, because the message around it is serialized when the merged frame is sent.
 */
export class UpdateMerger {
  readonly #options: UpdateMergerOptions;
  readonly #ids = new MessageIds();
  #mode: UpdateMode = "full";
  #isWanted: TypeFilter | undefined;
  #block: StreamingBlock | undefined;
  /** Pending progress by call, ordered by its newest occurrence. Never exists together with a pending delta. */
  readonly #progress = new Map<string, ToolUpdate>();
  /** Earliest time to send progress of each running call. */
  readonly #callOpensAt = new Map<string, number>();

  constructor(options: UpdateMergerOptions) {
    this.#options = options;
  }

  /** Changes the mode. Sends pending updates in the old mode first. */
  setMode(mode: UpdateMode, now: number): void {
    this.flush(now);
    this.#mode = mode;
  }

  /**
   * From now on, drops frames of other types as if they were sent; undefined sends everything. Sends pending updates first.
   */
  setFilter(isWanted: TypeFilter | undefined, now: number): void {
    this.flush(now);
    this.#isWanted = isWanted;
  }

  add(frame: Frame, now: number): void {
    if (this.#isWanted && !this.#isWanted(frame.type)) this.#skip(frame);
    else if (isDeltaUpdate(frame)) this.#addDelta(frame, now);
    else if (isToolUpdate(frame)) this.#addProgress(frame, now);
    else this.#pass(frame, now);
  }

  /** Earliest time to send the first pending frame. No later frame overtakes it. */
  nextDue(): number | undefined {
    if (this.#block?.waiting !== undefined) return this.#block.opensAt;
    for (const callId of this.#progress.keys()) return this.#opensAt(callId);
    return undefined;
  }

  /** Length of the pending deltas' text. Pending progress is one frame per call and does not grow. */
  get waitingChars(): number {
    return this.#block?.waiting?.length ?? 0;
  }

  /** Sends the updates whose time has come. */
  flushDue(now: number): void {
    if (this.#block && this.#block.opensAt <= now) this.#sendDeltas(this.#block, now);
    for (const [callId, frame] of this.#progress) {
      if (this.#opensAt(callId) > now) return;
      this.#sendProgress(frame, now);
    }
  }

  /** Sends everything pending. */
  flush(now: number): void {
    if (this.#block) this.#sendDeltas(this.#block, now);
    for (const frame of this.#progress.values()) this.#sendProgress(frame, now);
  }

  #addDelta(frame: DeltaUpdate, now: number): void {
    const { delta } = frame.assistantMessageEvent;
    if (!this.#block || !isSameBlock(this.#block.newest, frame)) {
      this.flush(now);
      this.#block = { newest: frame, waiting: delta, opensAt: now };
      return;
    }
    if (this.#progress.size > 0) this.flush(now);
    this.#block.newest = frame;
    this.#block.waiting = this.#block.waiting === undefined ? delta : this.#block.waiting + delta;
  }

  #addProgress(frame: ToolUpdate, now: number): void {
    if (this.#block) this.#sendDeltas(this.#block, now);
    // Deleted first, so that the newer frame is placed after the progress that other calls reported in the meantime.
    this.#progress.delete(frame.toolCallId);
    this.#progress.set(frame.toolCallId, frame);
  }

  #skip(frame: Frame): void {
    this.#ids.stamp(frame);
    if (isToolEnd(frame)) this.#callOpensAt.delete(frame.toolCallId);
  }

  #pass(frame: Frame, now: number): void {
    this.flush(now);
    if (isMessageUpdate(frame)) {
      this.#block = undefined; // the start or end of a block
      this.#sendUpdate(frame);
    } else {
      this.#options.emit(toFrameJson(this.#ids.stamp(frame)));
      if (isToolEnd(frame)) this.#callOpensAt.delete(frame.toolCallId);
    }
  }

  #opensAt(callId: string): number {
    return this.#callOpensAt.get(callId) ?? Number.NEGATIVE_INFINITY;
  }

  #sendDeltas(block: StreamingBlock, now: number): void {
    if (block.waiting === undefined) return;
    const bytes = this.#sendUpdate(withDelta(block.newest, block.waiting));
    block.waiting = undefined;
    block.opensAt =
      now + (this.#mode === "delta" ? DELTA_WINDOW_MS : Math.max(FULL_WINDOW_MS, bytes / FULL_BYTES_PER_MS));
  }

  #sendUpdate(frame: MessageUpdate): number {
    const form = { mode: this.#mode, layout: this.#options.layout, messageId: this.#ids.current };
    return this.#options.emit(messageUpdateJson(frame, form));
  }

  #sendProgress(frame: ToolUpdate, now: number): void {
    this.#progress.delete(frame.toolCallId);
    this.#callOpensAt.set(frame.toolCallId, now + TOOL_WINDOW_MS);
    this.#options.emit(toFrameJson(this.#options.isHostTool(frame.toolName) ? frame : withBoundedTail(frame)));
  }
}
