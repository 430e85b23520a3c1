import type { Static } from "typebox";
import type { ProviderFailure } from "./errors.ts";
import type { AssistantMessage } from "./messages.ts";
import type { AssistantUpdateEventSchema } from "./update-event-schema.ts";

/** What travels inside `message_update`: everything but the frame around the message. */
export type AssistantUpdateEvent = Static<typeof AssistantUpdateEventSchema>;

/**
 * One model answer as it arrives. `start` first; per block one `*_start`, any number of `*_delta`, one `*_end`; exactly
 * one `done` or `error` last. `partial` is a snapshot: it is never changed after it was emitted.
 */
export type AssistantMessageEvent =
  | { type: "start"; partial: AssistantMessage }
  | AssistantUpdateEvent
  | { type: "done"; reason: "stop" | "length" | "toolUse"; message: AssistantMessage }
  | { type: "error"; reason: "aborted" | "error"; error: AssistantMessage; failure: ProviderFailure };

/** Told before the reader. None of it may throw. */
export interface StreamObserver {
  /** The first part of the answer is there. */
  first(): void;
  /** Without an event the reader left, or the writer broke down. */
  end(event?: Extract<AssistantMessageEvent, { type: "done" | "error" }>): void;
}

/**
 * The events of one answer, for one reader. The writer pushes synchronously (a chain of generators would cost several
 * promises per delta) and awaits `drained()` between network chunks, which is how a slow reader slows the socket. The
 * reader either iterates, or takes what is there with `take()` and asks to be called with `onReadable()`.
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

  /** Ignored after the terminal event or after the reader left. */
  push(event: AssistantMessageEvent): void {
    if (this.#closed) return;
    if (this.#awaitsFirst && event.type !== "start") this.#tellFirst(event);
    this.#queue.push(event);
    if (isLast(event)) {
      this.#closed = true;
      this.#endObserver(event);
      if (event.type === "done") this.#onDone?.();
      this.#resumeWriter(); // nothing follows, so the writer need not wait for a reader that is slow or gone
    }
    this.#wakeReader();
  }

  /** Ends the stream without a terminal event; for producers that broke down. */
  end(): void {
    this.#closed = true;
    this.#endObserver();
    this.#wakeReader();
  }

  /** No further event will be pushed; some may still wait to be read. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** The next event, or undefined when there is none right now. */
  take(): AssistantMessageEvent | undefined {
    if (this.#head === this.#queue.length) return undefined;
    const event = this.#queue[this.#head];
    this.#head += 1;
    if (this.#head === this.#queue.length) this.#reset();
    return event;
  }

  /** Calls back once when `take()` will give something or the stream is over. At once if that is so already. */
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

  /** Called once when the answer is complete, before the reader hears of it. */
  onDone(listener: () => void): void {
    this.#onDone = listener;
  }

  /** One at most. Of an answer that is over it is told at once. */
  observe(observer: StreamObserver): void {
    const last = this.#queue.at(-1);
    if (this.#closed) observer.end(last && isLast(last) ? last : undefined);
    else {
      this.#observer = observer;
      this.#awaitsFirst = true;
    }
  }

  /** The reader leaves. Before the end this cancels the request. */
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

  /** Reads to the end and gives the final message. For callers that do not need the deltas. */
  async result(): Promise<AssistantMessage> {
    for await (const event of this) {
      if (event.type === "done") return event.message;
      if (event.type === "error") return event.error;
    }
    throw new Error("The stream ended without a result");
  }

  /** An answer that is over at once has no first part. */
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
