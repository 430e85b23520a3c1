import { isRecord } from "@pintle/ai";
import type { Frame } from "../scenario.ts";

interface Missed {
  texts: string[];
  /** One `session_snapshot` that replaces frames that are no longer stored. */
  isSnapshot: boolean;
}

/** Frames with cursors. */
const WITH_CURSOR: ReadonlySet<unknown> = new Set(["message_end", "agent_settled"]);

const STATES: Readonly<Record<string, { isStreaming?: boolean; isSettled?: boolean }>> = {
  agent_start: { isStreaming: true, isSettled: false },
  agent_end: { isStreaming: false },
  agent_settled: { isSettled: true },
};

/** The frames of a session, numbered and stored for hosts that were disconnected. */
export class SessionFrames {
  readonly #sessionId: string;
  #starts = 0;
  #seq = 0;
  /** The number before the oldest stored frame. */
  #forgotten = 0;
  #kept: string[] = [];
  /** Finished messages, for snapshots. */
  readonly #messages: unknown[] = [];
  #state = { isStreaming: false, isSettled: true };

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
    this.begin();
  }

  get epoch(): string {
    return `epoch-${this.#starts}`;
  }

  get cursor(): Frame {
    return { epoch: this.epoch, seq: this.#seq };
  }

  /** Whether a run is active, according to the frames. */
  get state(): Frame {
    return this.#state;
  }

  /** Starts an empty epoch: a run ended with the previous one. */
  begin(): void {
    this.#starts += 1;
    this.#seq = 0;
    this.#state = { isStreaming: false, isSettled: true };
    this.forget();
  }

  /** The frames as sent. */
  add(frame: Frame): string {
    this.#seq += 1;
    if (frame.type === "message_end") this.#messages.push(frame.message);
    this.#state = { ...this.#state, ...STATES[String(frame.type)] };
    const cursor = WITH_CURSOR.has(frame.type) ? { cursor: this.cursor } : {};
    const text = JSON.stringify({ ...frame, sessionId: this.#sessionId, seq: this.#seq, ...cursor });
    this.#kept.push(text);
    return text;
  }

  forget(): void {
    this.#kept = [];
    this.#forgotten = this.#seq;
  }

  /** Returns the missed frames. Without a cursor, nothing was missed. */
  since(cursor: unknown, state: Frame): Missed {
    if (!isRecord(cursor)) return { texts: [], isSnapshot: false };
    const { epoch, seq } = cursor;
    const isKept = epoch === this.epoch && typeof seq === "number" && seq >= this.#forgotten && seq <= this.#seq;
    if (isKept) return { texts: this.#kept.slice(seq - this.#forgotten), isSnapshot: false };
    return { texts: [JSON.stringify(this.#snapshot(state))], isSnapshot: true };
  }

  #snapshot(state: Frame): Frame {
    const entries = this.#messages.map((message, index) => ({
      type: "message",
      id: `entry-${index + 1}`,
      parentId: index === 0 ? null : `entry-${index}`,
      message,
    }));
    return {
      type: "session_snapshot",
      sessionId: this.#sessionId,
      seq: this.#seq,
      cursor: this.cursor,
      state: { ...state, ...this.#state },
      entries,
      leafId: entries.at(-1)?.id ?? null,
      tools: [],
      pending: [],
    };
  }
}
