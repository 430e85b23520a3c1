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
/** In `full` mode each update repeats the message; this bounds what a long answer costs while it streams. */
const FULL_BYTES_PER_MS = 256;
const DELTA_WINDOW_MS = 16;
const TOOL_WINDOW_MS = 100;

/** Whether frames of that type are wanted. */
export type TypeFilter = (type: string) => boolean;

export interface UpdateMergerOptions {
  /** Takes the next line of the wire, without LF; returns its size in bytes. */
  emit(line: string): number;
  /** Progress of a host's own tool is passed on as the host sent it. */
  isHostTool(toolName: string): boolean;
  layout: UpdateLayout;
}

/** The block whose deltas arrive now. */
interface StreamingBlock {
  /** Its newest update, sent or not. */
  newest: DeltaUpdate;
  /** The deltas not sent yet. JavaScript joins strings lazily, so adding one copies nothing. */
  waiting: string | undefined;
  /** No delta of it leaves before. */
  opensAt: number;
}

/**
 * Frames in, lines out, in order. Only updates may wait: a later delta of the same block is added to the waiting one, a later
 * progress of the same tool call replaces the waiting one, and any other frame sends what waits first. Adding a delta costs
 * what the delta costs: the message around it is serialised when the joined frame leaves.
 */
export class UpdateMerger {
  readonly #options: UpdateMergerOptions;
  readonly #ids = new MessageIds();
  #mode: UpdateMode = "full";
  #isWanted: TypeFilter | undefined;
  #block: StreamingBlock | undefined;
  /** Waiting progress by call, in the order of its newest occurrence. Never together with a waiting delta. */
  readonly #progress = new Map<string, ToolUpdate>();
  /** No progress of a running call leaves before. */
  readonly #callOpensAt = new Map<string, number>();

  constructor(options: UpdateMergerOptions) {
    this.#options = options;
  }

  /** What waits belongs to the old mode and leaves in it. */
  setMode(mode: UpdateMode, now: number): void {
    this.flush(now);
    this.#mode = mode;
  }

  /** What is not wanted from now on counts as told all the same; undefined: everything is. What waits is sent first. */
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

  /** When the first waiting frame may leave; no other one overtakes it. */
  nextDue(): number | undefined {
    if (this.#block?.waiting !== undefined) return this.#block.opensAt;
    for (const callId of this.#progress.keys()) return this.#opensAt(callId);
    return undefined;
  }

  /** How much text the waiting deltas have; a waiting progress is one frame per call, whatever came before it. */
  get waitingChars(): number {
    return this.#block?.waiting?.length ?? 0;
  }

  /** Sends what has waited long enough. */
  flushDue(now: number): void {
    if (this.#block && this.#block.opensAt <= now) this.#sendDeltas(this.#block, now);
    for (const [callId, frame] of this.#progress) {
      if (this.#opensAt(callId) > now) return;
      this.#sendProgress(frame, now);
    }
  }

  /** Sends everything that waits. */
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
    // Deleted first: the newer frame takes its place behind what other calls reported meanwhile.
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
      this.#block = undefined; // a block starts or ends
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
