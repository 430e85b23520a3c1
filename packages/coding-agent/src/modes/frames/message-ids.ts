import type { Frame } from "./update-frames.ts";

/**
 * Assigns message ids. The start, all updates and the end of a message have the same id, which is unique in the process.
 * Updates read it when they are written, so deltas cost nothing extra.
 */
export class MessageIds {
  #count = 0;
  /** Ids of messages without an end. Updates belong to the last one. */
  readonly #open: string[] = [];

  get current(): string {
    return this.#open.at(-1) ?? this.#begin();
  }

  /** Must be called with every frame except updates, in the order of the wire. */
  stamp<F extends Frame>(frame: F): F | (F & { messageId: string }) {
    if (frame.type === "message_start") return { ...frame, messageId: this.#begin() };
    if (frame.type === "message_end") return { ...frame, messageId: this.#open.pop() ?? this.#next() };
    if (frame.type === "agent_end") this.#open.length = 0; // a message that was cut off has no end
    return frame;
  }

  #begin(): string {
    const id = this.#next();
    this.#open.push(id);
    return id;
  }

  #next(): string {
    this.#count += 1;
    return `msg-${this.#count}`;
  }
}
