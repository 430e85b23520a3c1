import { toUnreachable } from "./failure-text.ts";
import { MAX_MESSAGE_BYTES } from "./message-lines.ts";

/**
 * Called with a request's id when the stream that should contain its answer has ended, and with the reason if the stream was
 * cut off.
 */
export type AnswerEnded = (requestId: string | number, reason?: string) => void;

/** A response exceeds its limit. A retry would not help. */
class TooLarge extends Error {
  constructor(what: string, limit: number) {
    super(`${what} has more than ${limit / 1024 / 1024} MiB, the limit for one message`);
  }
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Wraps fetch for the official transports, which read responses of any length and wait forever for one whose stream broke off.
 * The wrapper limits the size of a message and reports the end of a stream.
 */
export function watchAnswers(fetch: Fetch, answerEnded: AnswerEnded, limit = MAX_MESSAGE_BYTES): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const requestId = isStream ? requestIdOf(init) : undefined;
    const size = isStream ? new EventSize(limit) : new BodySize(limit);
    const body = watchBody(response.body, size, (error) => {
      if (requestId === undefined) return;
      if (error instanceof TooLarge) answerEnded(requestId, error.message);
      else if (size.isFinal) answerEnded(requestId);
    });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

interface Size {
  /** Throws if the message is too large. */
  add(chunk: Uint8Array): void;
  /** False if the rest of the stream can be requested again. */
  readonly isFinal: boolean;
}

class BodySize implements Size {
  readonly isFinal: boolean = true;
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limit) throw new TooLarge("The answer", this.#limit);
  }
}

/** A stream has no limit, but each of its events has one. */
class EventSize implements Size {
  isFinal = true;
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Uint8Array): void {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const boundary = Math.max(text.lastIndexOf("\n\n"), text.lastIndexOf("\r\n\r\n"), text.lastIndexOf("\r\r"));
    // The official transport resumes a stream whose events have ids.
    if (this.isFinal && /^id:/m.test(text.toString("latin1"))) this.isFinal = false;
    this.#bytes = boundary === -1 ? this.#bytes + text.length : text.length - boundary;
    if (this.#bytes > this.#limit) throw new TooLarge("The answer", this.#limit);
  }
}

function watchBody(
  body: ReadableStream<Uint8Array>,
  size: Size,
  onEnd: (error?: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (done) {
          controller.close();
          onEnd();
          return;
        }
        size.add(value);
        controller.enqueue(value);
      } catch (error) {
        controller.error(toUnreachable(error));
        void reader.cancel().catch(() => {}); // already broken
        onEnd(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function requestIdOf(init: RequestInit | undefined): string | number | undefined {
  if (typeof init?.body !== "string") return undefined;
  const request: { id?: string | number } = JSON.parse(init.body);
  return request.id;
}
