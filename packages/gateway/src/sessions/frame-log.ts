import type { SessionCursor } from "@pintle/wire";
import { FrameRing, type RingLimits } from "./frame-ring.ts";
import type { SessionFrame } from "./session-frame.ts";

/** Events that contain a cursor, because hosts may disconnect after them and resume later. */
const WITH_CURSOR: ReadonlySet<string> = new Set(["message_end", "agent_settled"]);
const ENTRY_ID = /^\{"type":"entry_appended","entry":\{"type":"[^"\\]*","id":"([^"\\]*)"/;

/** Metadata of a frame. */
export interface FrameFacts extends Pick<SessionFrame, "merge" | "audience"> {
  /** The form of the frame for the host that sent the command which the frame is about. */
  toSender?: { hostId: number; line: string };
}

/** Numbers the frames that leave a session, and keeps the most recent ones. */
export class FrameLog {
  readonly ring: FrameRing;
  readonly sessionId: string;
  readonly #route: string;
  readonly #epoch: string;
  #seq: number;
  #entryId: string | undefined;

  constructor(options: { sessionId: string; epoch: string; firstSeq: number; ring: RingLimits }) {
    this.sessionId = options.sessionId;
    this.ring = new FrameRing(options.ring);
    this.#route = `{"sessionId":${JSON.stringify(options.sessionId)},`;
    this.#epoch = options.epoch;
    this.#seq = options.firstSeq;
  }

  get seq(): number {
    return this.#seq;
  }

  get cursor(): SessionCursor {
    return {
      epoch: this.#epoch,
      seq: this.#seq,
      ...(this.#entryId !== undefined && { entryId: this.#entryId }),
    };
  }

  /** Numbers a frame. The line of the worker is spliced, not parsed. */
  append(type: string, line: string, { toSender, ...facts }: FrameFacts = {}): SessionFrame {
    this.#seq += 1;
    if (type === "entry_appended") this.#entryId = ENTRY_ID.exec(line)?.[1] ?? this.#entryId;
    const cursor = WITH_CURSOR.has(type) ? `"cursor":${JSON.stringify(this.cursor)},` : "";
    const head = `${this.#route}"seq":${this.#seq},${cursor}`;
    const frame: SessionFrame = {
      seq: this.#seq,
      type,
      json: head + line.slice(1),
      ...facts,
      ...(toSender && { toSender: { hostId: toSender.hostId, json: head + toSender.line.slice(1) } }),
    };
    this.ring.push(frame);
    return frame;
  }

  /** Adds the route to a frame without a number, such as a response, or to another form of a numbered frame. */
  routed(line: string, seq?: number): string {
    return `${this.#route}${seq === undefined ? "" : `"seq":${seq},`}${line.slice(1)}`;
  }
}
