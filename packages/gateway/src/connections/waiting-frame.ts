import { isRecord } from "@pintle/ai";
import type { OutgoingFrame } from "../host.ts";

/** A frame that a host has not read yet, combined with the older updates that were merged into it. */
export class WaitingFrame {
  #newest: OutgoingFrame;
  /** How many frames this one replaces. */
  #count: number;
  /** The joined deltas; undefined for a single frame, or if the newest update contains everything. */
  #delta: string | undefined;
  #bytes: number;

  constructor(frame: OutgoingFrame) {
    this.#newest = frame;
    this.#count = frame.merged ?? 1;
    this.#bytes = Buffer.byteLength(frame.json);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get sessionId(): string | undefined {
    return this.#newest.sessionId;
  }

  /** The number of the newest frame. */
  get seq(): number | undefined {
    return this.#newest.seq;
  }

  /** The epoch of the node that numbers the session, if that is not this node. */
  get epoch(): string | undefined {
    return this.#newest.epoch;
  }

  /** Metadata for the next queue, which does not merge a frame that already replaces several. */
  get head(): Omit<OutgoingFrame, "json"> {
    const { json: _json, merge, ...head } = this.#newest;
    return this.#count === 1 ? { ...head, ...(merge && { merge }) } : { ...head, merged: this.#count };
  }

  /** The number of the last frame before those that this frame replaces. */
  get seqBefore(): number | undefined {
    return this.#newest.seq === undefined ? undefined : this.#newest.seq - this.#count;
  }

  /**
   * Merges an update that directly follows this frame. The host can tell from `merged` and `seq` that nothing is missing. Returns
   * false if the update has to wait until this frame is sent.
   */
  absorb(newer: OutgoingFrame): boolean {
    const { merge, seq } = this.#newest;
    if (!merge || merge.key !== newer.merge?.key || merge.kind !== newer.merge.kind) return false;
    if (seq === undefined || newer.seq !== seq + 1) return false;
    if (merge.kind === "delta") {
      const older = this.#delta ?? deltaOf(this.#newest.json);
      const added = deltaOf(newer.json);
      if (older === undefined || added === undefined) return false;
      this.#delta = older + added; // the JavaScript engine joins strings lazily, so nothing is copied
      this.#bytes += Buffer.byteLength(added);
    } else this.#bytes = Buffer.byteLength(newer.json);
    this.#newest = newer;
    this.#count += 1;
    return true;
  }

  toJson(): string {
    const { json } = this.#newest;
    if (this.#count === (this.#newest.merged ?? 1)) return json;
    if (this.#delta === undefined) return `${json.slice(0, -1)},"merged":${this.#count}}`;
    const frame = JSON.parse(json) as { assistantMessageEvent: object };
    const assistantMessageEvent = { ...frame.assistantMessageEvent, delta: this.#delta };
    return JSON.stringify({ ...frame, assistantMessageEvent, merged: this.#count });
  }
}

/** Returns the delta of an update. Called only while frames wait, never for a host that keeps up. */
function deltaOf(json: string): string | undefined {
  const { assistantMessageEvent: event } = JSON.parse(json) as { assistantMessageEvent?: unknown };
  return isRecord(event) && typeof event.delta === "string" ? event.delta : undefined;
}
