import type { AssistantMessage, AssistantMessageEvent } from "@pintle/ai";

/** Streams an answer to one reader, who may request the whole message before, while or after reading the events. */
export class MessageEventStream implements AsyncIterable<AssistantMessageEvent> {
  readonly #waiting: AssistantMessageEvent[] = [];
  readonly #final = Promise.withResolvers<AssistantMessage>();
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor() {
    this.#final.promise.catch(() => {}); // the result may never be requested
  }

  push(event: AssistantMessageEvent): void {
    if (this.#isOver) return;
    this.#waiting.push(event);
    if (event.type === "done") this.#finish(event.message);
    else if (event.type === "error") this.#finish(event.error);
    else this.#wake?.();
  }

  /** Ends the stream. Without a message it fails, unless the last event has already been emitted. */
  end(message?: AssistantMessage): void {
    if (message) this.#finish(message);
    else this.#final.reject(new Error("The stream ended without a result"));
    this.#isOver = true;
    this.#wake?.();
  }

  result(): Promise<AssistantMessage> {
    return this.#final.promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AssistantMessageEvent, undefined> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event) yield event;
      else if (this.#isOver) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #finish(message: AssistantMessage): void {
    this.#final.resolve(message);
    this.#isOver = true;
    this.#wake?.();
  }
}
