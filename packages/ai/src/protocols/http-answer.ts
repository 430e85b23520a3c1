import { ProviderError } from "../errors.ts";
import type { Model } from "../model.ts";
import type { AnswerTarget, StreamOptions } from "../stream.ts";
import { FairTurn } from "../transport/fair-turn.ts";
import { openEventStream, toNetworkError } from "../transport/http.ts";
import { createEventReader, type EventReader, type ServerEvent } from "../transport/sse.ts";
import { DEFAULT_IDLE_TIMEOUT_MS, IdleWatchdog, stallError } from "../transport/watchdog.ts";
import type { Decoder, HttpProtocol, ModelContext } from "./protocol.ts";

/** After the last delta only statistics are missing, which do not justify a long wait. */
const COMPLETE_GRACE_MS = 5_000;
/** A body that ends by itself keeps its connection alive for the next request. */
const DRAIN_MS = 1_000;
const MAX_DRAINED_CHUNKS = 64;

interface Call {
  model: Model;
  context: ModelContext;
  options: StreamOptions;
}

/** Sends one request and feeds the events of its response to the protocol's decoder. */
export async function answerOverHttp(
  protocol: HttpProtocol,
  { model, context, options }: Call,
  { stream, out, connection }: AnswerTarget,
): Promise<void> {
  const idleMs = options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS;
  const request = protocol.request(model, context, options);
  const decoder = protocol.decoder(model, out);
  const watchdog = new IdleWatchdog(idleMs, () => {
    // Once the answer is complete, only statistics are missing: continue without them.
    if (decoder.isComplete) decoder.end();
    else out.fail(stallError(idleMs));
    connection.abort(new Error("stream stall"));
  });
  const events = createEventReader((event) => {
    if (out.isFinished) return;
    watchdog.sawEvent();
    decode(decoder, event);
  });

  const turn = new FairTurn();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const opening = openEventStream(request, {
      fetch: options.fetch ?? fetch,
      signal: connection.signal,
      list: options.memory?.list,
    });
    options.onRequest?.(request.prefix);
    reader = (await opening).getReader();
    while (!out.isFinished) {
      watchdog.wait(decoder.isComplete && idleMs > 0 ? Math.min(COMPLETE_GRACE_MS, idleMs) : idleMs);
      const { done, value } = await reader.read();
      watchdog.pause();
      if (done) {
        endEvents(events);
        if (!out.isFinished) decoder.end();
        return;
      }
      for (const piece of inPieces(value)) {
        events.feed(piece);
        await stream.drained();
        await turn.pass();
        if (out.isFinished) break;
      }
    }
    watchdog.stop();
    await drain(reader, connection);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    // Losing the connection after the last token loses nothing.
    if (!decoder.isComplete) throw toNetworkError(error, request.url);
    if (!out.isFinished) decoder.end();
  } finally {
    watchdog.stop();
    void reader?.cancel().catch(() => {}); // The connection may already be closed.
  }
}

/** How much is decoded without a pause: a socket may deliver megabytes at once. */
const PIECE_BYTES = 16 * 1024;

function* inPieces(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** If a decoder fails on an event, the API does not send such events; the network is not at fault. */
function decode(decoder: Decoder, event: ServerEvent): void {
  try {
    decoder.event(event);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    throw new ProviderError("protocol", `Unexpected event from the server: ${event.data.slice(0, 200)}…`, {
      cause: error,
    });
  }
}

/** Ignores an unreadable last event: the body was cut off in the middle of it, which the decoder reports. */
function endEvents(events: EventReader): void {
  try {
    events.end();
  } catch (error) {
    if (!(error instanceof ProviderError && error.kind === "protocol")) throw error;
  }
}

/** Briefly reads the rest of a finished answer. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>, connection: AbortController): Promise<void> {
  const timer = setTimeout(() => connection.abort(), DRAIN_MS);
  try {
    for (let chunks = 0; chunks < MAX_DRAINED_CHUNKS && !connection.signal.aborted; chunks += 1) {
      if ((await reader.read()).done) return;
    }
  } catch {
    // The answer is complete; how its connection ends does not matter.
  } finally {
    clearTimeout(timer);
  }
}
