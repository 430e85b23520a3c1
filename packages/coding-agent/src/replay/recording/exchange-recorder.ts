import { ABORTED_TEXT, errorText, type Fetch, ProviderError } from "@pintle/ai";
import { errorCode } from "@pintle/foundation";
import { createEventLines } from "./event-lines.ts";
import { ALL_OPEN } from "./open-exchanges.ts";
import { type AnswerEnd, type AnswerHead, bodyKind, type RecordedAnswer, type RecordedEvent } from "./stream-file.ts";

export interface ExchangeParts {
  network: Fetch;
  now(): number;
  /** Returns whether the adapter has the whole answer, even if the body continues. */
  isOver(): boolean;
  /** Like `isOver`, as of the moment before the request was aborted. */
  wasOverBeforeAbort(): boolean;
  /** Called when the adapter has the whole answer; it may continue to read the body for a while. */
  onDone(listener: () => void): void;
  /** Receives the answer once it has ended, in any way. */
  store(answer: RecordedAnswer): void;
}

/** Sends a request and records the response while the caller reads it as usual. */
export async function recordExchange(url: string, init: RequestInit, parts: ExchangeParts): Promise<Response> {
  const startedAt = parts.now();
  const signal = init.signal ?? undefined;
  const events: RecordedEvent[] = [];
  let head: AnswerHead = { status: 0, headers: {} };
  let isStored = false;
  const elapsed = () => Math.max(0, Math.round(parts.now() - startedAt));
  const store = (end: Omit<AnswerEnd, "t">) => {
    if (isStored) return;
    isStored = true;
    ALL_OPEN.delete(storeAtExit);
    signal?.removeEventListener("abort", onAbort);
    parts.store({ head, events, end: { t: elapsed(), ...end } });
  };
  const storeAtExit = () => store({ end: parts.isOver() ? "done" : "aborted" });
  const onAbort = () => store(endAfterAbort(signal?.reason, parts));
  ALL_OPEN.add(storeAtExit);
  signal?.addEventListener("abort", onAbort, { once: true });

  try {
    const response = await parts.network(url, init);
    head = headOf(response);
    if (!response.body) {
      store({ end: "done" });
      return response;
    }
    const sink = createSink(head, (event) => events.push({ t: elapsed(), ...event }));
    // Store before the body ends, because the reader of the answer may look for its recording.
    parts.onDone(() => {
      sink.end();
      store({ end: "done" });
    });
    const body = observed(response.body, { sink, onEnd: store });
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  } catch (error) {
    store(failure(error));
    throw error;
  }
}

interface Sink {
  write(chunk: Uint8Array): void;
  end(): void;
}

/** Records the body as it passes. Reads only as fast as the caller. */
function observed(
  source: ReadableStream<Uint8Array>,
  { sink, onEnd }: { sink: Sink; onEnd(end: Omit<AnswerEnd, "t">): void },
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            sink.write(value);
            return controller.enqueue(value);
          }
          sink.end();
          onEnd({ end: "done" });
          controller.close();
        } catch (error) {
          sink.end();
          onEnd(failure(error));
          controller.error(error);
        }
      },
      cancel(reason) {
        // Not aborted, so the adapter has read enough.
        sink.end();
        onEnd({ end: "done" });
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function createSink(head: AnswerHead, keep: (event: Omit<RecordedEvent, "t">) => void): Sink {
  const decoder = new TextDecoder();
  const kind = bodyKind(head);
  if (kind === "binary") {
    return { write: (chunk) => keep({ base64: Buffer.from(chunk).toString("base64") }), end: () => {} };
  }
  if (kind === "text") {
    let text = "";
    return {
      write: (chunk) => {
        text += decoder.decode(chunk, { stream: true });
      },
      end: () => {
        if (text !== "") keep({ data: text + decoder.decode() });
        text = "";
      },
    };
  }
  const lines = createEventLines(keep);
  return {
    write: (chunk) => lines.feed(decoder.decode(chunk, { stream: true })),
    end: () => {
      lines.feed(decoder.decode());
      const half = lines.end();
      if (half) keep({ ...half, cut: true });
    },
  };
}

/** Headers that adapters use; others may contain names and keys. */
const KEPT_HEADERS = /^(content-type|retry-after(-ms)?|(.+-)?ratelimit-.+)$/;

function headOf(response: Response): AnswerHead {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => KEPT_HEADERS.test(name)));
  const { status, statusText } = response;
  return { status, ...(statusText !== "" && statusText !== "OK" && { statusText }), headers };
}

/** A signal closes the connection for several reasons: an abort, a silent server or a complete answer. */
function endAfterAbort(reason: unknown, parts: ExchangeParts): Omit<AnswerEnd, "t"> {
  const { name = "AbortError", message } = reason instanceof Error ? reason : {};
  const isUnwanted = message === ABORTED_TEXT;
  if (!isUnwanted && name !== "AbortError") return failure(reason);
  const isComplete = isUnwanted ? parts.wasOverBeforeAbort() : parts.isOver();
  return { end: isComplete ? "done" : "aborted" };
}

function failure(error: unknown): Omit<AnswerEnd, "t"> {
  const code = errorCode(error);
  return {
    end: "error",
    error: {
      ...(error instanceof ProviderError && { kind: error.kind }),
      ...(code !== undefined && { code }),
      message: errorText(error),
    },
  };
}
