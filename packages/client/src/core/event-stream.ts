import type { RpcEvent } from "../protocol.ts";
import { merged, supersededBy } from "./merge-updates.ts";

const KEPT_EVENTS = 1024;

/**
 * Buffers events for one reader. While the reader lags, an event that a newer one supersedes is merged into it; all others are
 * kept.
 */
export class EventStream implements AsyncIterableIterator<RpcEvent, undefined> {
  readonly #onLeave: () => void;
  #events: RpcEvent[] = [];
  #head = 0;
  #end: { error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** `onLeave` is called once, when the stream ends or the reader stops. */
  constructor(onLeave: () => void = () => {}) {
    this.#onLeave = onLeave;
  }

  push(event: RpcEvent): void {
    if (this.#end) return;
    const last = this.#events.length - 1;
    const place = supersededBy(this.#events, this.#head, event);
    if (place === undefined) this.#events.push(event);
    else if (place === last) this.#events[last] = merged(this.#events[last]!, event);
    else {
      this.#events.splice(place, 1);
      this.#events.push(event);
    }
    this.#wakeReader();
  }

  /** Ends the stream. Buffered events can still be read. */
  close(): void {
    this.#finish({});
  }

  /** Ends the stream with an error, which the reader receives after the buffered events. */
  fail(error: unknown): void {
    this.#finish({ error });
  }

  async next(): Promise<IteratorResult<RpcEvent, undefined>> {
    for (;;) {
      const event = this.#take();
      if (event) return { value: event, done: false };
      if (this.#end) return this.#takeEnd();
      await new Promise<void>((resolve) => {
        const others = this.#wake; // several readers may wait at once
        this.#wake = () => {
          others?.();
          resolve();
        };
      });
    }
  }

  async return(): Promise<IteratorResult<RpcEvent, undefined>> {
    this.#events = [];
    this.#head = 0;
    this.#finish({});
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): RpcEvent | undefined {
    if (this.#head === this.#events.length) return undefined;
    const event = this.#events[this.#head];
    this.#head += 1;
    // Drop consumed events in batches, so that a reader that never catches up does not retain everything.
    if (this.#head === this.#events.length || this.#head >= KEPT_EVENTS) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
    return event;
  }

  /** The error is thrown once; later calls return the end. */
  #takeEnd(): IteratorResult<RpcEvent, undefined> {
    const { error } = this.#end ?? {};
    this.#end = {};
    if (error !== undefined) throw error;
    return { value: undefined, done: true };
  }

  #finish(end: { error?: unknown }): void {
    if (this.#end) return;
    this.#end = end;
    this.#onLeave();
    this.#wakeReader();
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
