import type { Span } from "../span.ts";
import type { PostEnd } from "./otlp-post.ts";

export interface SpanQueueParts {
  maxQueue: number;
  maxBatch: number;
  delayMs: number;
  post(spans: readonly Span[], signal: AbortSignal): Promise<PostEnd>;
  /** Called on the first failure, and on the first one after a success. */
  onFailure(why: string): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** Queues spans for the receiver. If the queue is full, it drops and counts spans, so that nothing has to wait. */
export class SpanQueue {
  readonly #parts: SpanQueueParts;
  readonly #closing = new AbortController();
  #spans: Span[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #pauseMs = 0;
  #isClosing = false;
  #isFailing = false;
  #dropped = 0;

  constructor(parts: SpanQueueParts) {
    this.#parts = parts;
  }

  /** Number of dropped spans since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  add(span: Span): void {
    const { maxQueue, maxBatch } = this.#parts;
    if (this.#spans.length >= maxQueue || this.#closing.signal.aborted) {
      this.#dropped += 1;
      return;
    }
    this.#spans.push(span);
    if (this.#isClosing) return; // sent by close()
    if (this.#spans.length >= maxBatch && this.#pauseMs === 0) this.#send();
    else this.#wait();
  }

  /** Sends the remaining spans. Gives up after `limitMs`. */
  async close(limitMs: number): Promise<void> {
    this.#isClosing = true; // only this method sends from now on, so that no batch is sent twice
    clearTimeout(this.#timer);
    const limit = setTimeout(() => this.#closing.abort(), limitMs);
    await this.#sending;
    while (this.#spans.length > 0 && !this.#closing.signal.aborted && (await this.#sendBatch())) {}
    clearTimeout(limit);
    this.#closing.abort();
    this.#dropped += this.#spans.length;
    this.#spans = [];
  }

  #wait(): void {
    if (this.#timer || this.#sending || this.#isClosing) return;
    this.#timer = setTimeout(() => this.#send(), this.#pauseMs || this.#parts.delayMs);
    this.#timer.unref(); // must not keep the program alive
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#spans.length > 0) this.#wait();
    });
  }

  async #sendAll(): Promise<void> {
    do if (!(await this.#sendBatch())) return;
    while (this.#spans.length >= this.#parts.maxBatch && !this.#isClosing);
  }

  /** Returns false if the receiver does not accept it now. */
  async #sendBatch(): Promise<boolean> {
    const batch = this.#spans.slice(0, this.#parts.maxBatch);
    const end = await this.#parts.post(batch, this.#closing.signal);
    if (end.kind === "later") {
      this.#pauseMs = Math.min(end.afterMs ?? (this.#pauseMs * 2 || FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
      this.#fail(end.why);
      return false;
    }
    this.#spans.splice(0, batch.length);
    this.#pauseMs = 0;
    if (end.kind === "sent") {
      this.#isFailing = false;
      return true;
    }
    this.#dropped += batch.length;
    this.#fail(end.why);
    return true;
  }

  #fail(why: string): void {
    if (!this.#isFailing && !this.#closing.signal.aborted) this.#parts.onFailure(why);
    this.#isFailing = true;
  }
}
