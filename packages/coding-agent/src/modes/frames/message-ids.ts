import type { Frame } from "./update-frames.ts";

/**
 * The name of a message while it is emitted: the same in its start, all its updates and its end, and unique in the
 * process. Updates read it when they are written, so a delta costs nothing more.
 */
export class MessageIds {
  #count = 0;
  /** Begun and not ended; the last one is the one that updates belong to. */
  readonly #open: string[] = [];

  get current(): string {
    return this.#open.at(-1) ?? this.#begin();
  }

  /** To be called with every frame but updates, in the order of the wire. */
  stamp<F extends Frame>(frame: F): F | (F & { messageId: string }) {
    if (frame.type === "message_start") return { ...frame, messageId: this.#begin() };
    if (frame.type === "message_end") return { ...frame, messageId: this.#open.pop() ?? this.#next() };
    if (frame.type === "agent_end") this.#open.length = 0; // what was cut off has no end of its own
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
