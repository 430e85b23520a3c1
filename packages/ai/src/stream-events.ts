import type { Static } from "typebox";
import type { ProviderFailure } from "./errors.ts";
import type { AssistantMessage } from "./messages.ts";
import type { AssistantUpdateEventSchema } from "./update-event-schema.ts";

/** The content of `message_update`: every event except the start and end of the message. */
export type AssistantUpdateEvent = Static<typeof AssistantUpdateEventSchema>;

/**
 * One model answer as it arrives. `start` first; per block one `*_start`, any number of `*_delta`, one `*_end`; exactly
 * one `done` or `error` last. `partial` is a snapshot: it never changes after it was emitted.
 */
export type AssistantMessageEvent =
  | { type: "start"; partial: AssistantMessage }
  | AssistantUpdateEvent
  | { type: "done"; reason: "stop" | "length" | "toolUse"; message: AssistantMessage }
  | { type: "error"; reason: "aborted" | "error"; error: AssistantMessage; failure: ProviderFailure };

/** Called before the reader receives the event. None of these may throw. */
export interface StreamObserver {
  /** The first part of the answer has arrived. */
  first(): void;
  /** Called without an event if the reader left or the writer failed. */
  end(event?: Extract<AssistantMessageEvent, { type: "done" | "error" }>): void;
}

/**
 * The events of one answer, for one reader. The writer pushes synchronously (a chain of generators would cost several
 * promises per delta) and awaits `drained()` between network chunks, so a slow reader slows down the socket. The reader
 * either iterates, or takes available events with `take()` and is called back with `onReadable()`.
 */
export class AssistantEventStream implements AsyncIterable<AssistantMessageEvent> {
  #queue: AssistantMessageEvent[] = [];
  #head = 0;
  #closed = false;
  #onReadable: (() => void) | undefined;
  #onDrained: (() => void) | undefined;
  #onCancel: (() => void) | undefined;
  #onDone: (() => void) | undefined;
  #observer: StreamObserver | undefined;
  #awaitsFirst = false;

  /** Ignored after the terminal event and after the reader has left. */
  push(event: AssistantMessageEvent): void {
    if (this.#closed) return;
    if (this.#awaitsFirst && event.type !== "start") this.#tellFirst(event);
    this.#queue.push(event);
    if (isLast(event)) {
      this.#closed = true;
      this.#endObserver(event);
      if (event.type === "done") this.#onDone?.();
      this.#resumeWriter(); // Nothing follows, so the writer need not wait for a slow or absent reader.
    }
    this.#wakeReader();
  }

  /** Ends the stream without a terminal event, for producers that failed. */
  end(): void {
    this.#closed = true;
    this.#endObserver();
    this.#wakeReader();
  }

  /** True if no further event will be pushed; some may still wait to be read. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Returns the next event, or undefined if none is available. */
  take(): AssistantMessageEvent | undefined {
    if (this.#head === this.#queue.length) return undefined;
    const event = this.#queue[this.#head];
    this.#head += 1;
    if (this.#head === this.#queue.length) this.#reset();
    return event;
  }

  /**
   * Calls back once when `take()` would return an event or the stream has ended. Immediately if that is already true.
   */
  onReadable(callback: () => void): void {
    if (this.#head < this.#queue.length || this.#closed) callback();
    else this.#onReadable = callback;
  }

  /** Resolves when the reader has taken everything pushed so far. */
  drained(): Promise<void> | undefined {
    if (this.#head === this.#queue.length || this.#closed) return undefined;
    return new Promise((resolve) => {
      this.#onDrained = resolve;
    });
  }

  /** Called once when the reader stops before the end. */
  onCancel(listener: () => void): void {
    this.#onCancel = listener;
  }

  /** Called once when the answer is complete, before the reader receives its last event. */
  onDone(listener: () => void): void {
    this.#onDone = listener;
  }

  /** Accepts one observer. Notifies it immediately if the answer is complete. */
  observe(observer: StreamObserver): void {
    const last = this.#queue.at(-1);
    if (this.#closed) observer.end(last && isLast(last) ? last : undefined);
    else {
      this.#observer = observer;
      this.#awaitsFirst = true;
    }
  }

  /** Called when the reader leaves. Before the end, this cancels the request. */
  cancel(): void {
    const wasOpen = !this.#closed;
    this.#closed = true;
    this.#endObserver();
    this.#reset();
    this.#wakeReader();
    if (wasOpen) this.#onCancel?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AssistantMessageEvent, undefined> {
    try {
      for (;;) {
        const event = this.take();
        if (event) yield event;
        else if (this.#closed) return;
        else await new Promise<void>((resolve) => this.onReadable(resolve));
      }
    } finally {
      this.cancel();
    }
  }

  /** Reads to the end and returns the final message, for callers that do not need the deltas. */
  async result(): Promise<AssistantMessage> {
    for await (const event of this) {
      if (event.type === "done") return event.message;
      if (event.type === "error") return event.error;
    }
    throw new Error("The stream ended without a result");
  }

  /** An answer that ends immediately has no first part. */
  #tellFirst(event: AssistantMessageEvent): void {
    this.#awaitsFirst = false;
    if (!isLast(event)) this.#observer?.first();
  }

  #endObserver(event?: Parameters<StreamObserver["end"]>[0]): void {
    const observer = this.#observer;
    this.#observer = undefined;
    observer?.end(event);
  }

  #reset(): void {
    this.#queue = [];
    this.#head = 0;
    this.#resumeWriter();
  }

  #resumeWriter(): void {
    const resume = this.#onDrained;
    this.#onDrained = undefined;
    resume?.();
  }

  #wakeReader(): void {
    const callback = this.#onReadable;
    this.#onReadable = undefined;
    callback?.();
  }
}

function isLast(event: AssistantMessageEvent): event is Extract<AssistantMessageEvent, { type: "done" | "error" }> {
  return event.type === "done" || event.type === "error";
}
