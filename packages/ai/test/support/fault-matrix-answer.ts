import { type StreamOptions, streamModel } from "../../src/stream.ts";
import type { Fetch } from "../../src/transport/http.ts";
import { type CheckedAnswer, readChecked } from "./event-checker.ts";
import type { ProtocolSamples } from "./fault-matrix.ts";
import { type LoopbackServer, type Respond, startLoopbackServer } from "./loopback-server.ts";

export const TEXT = "Hällo wörld 🌍";
export const KEY = "sk-test-0123456789abcdef";
const QUESTION = { messages: [{ role: "user" as const, content: "Hello", timestamp: 1 }] };
const SAME_TIME = () => 0;

/** Sends a request to a server that gives this answer. */
export async function ask(
  samples: ProtocolSamples,
  respond: Respond,
  options: StreamOptions = {},
): Promise<CheckedAnswer> {
  await using server = await startLoopbackServer(respond);
  return await readChecked(open(samples, server, options)); // before the server is closed
}

export function open(samples: ProtocolSamples, server: Pick<LoopbackServer, "url">, options: StreamOptions = {}) {
  return streamModel(samples.model(server.url), QUESTION, { apiKey: KEY, now: SAME_TIME, ...options });
}

/**
 * The same without a network, for faults that depend on where exactly the bytes are cut: a socket joins and splits
 * chunks arbitrarily.
 */
export function askWithChunks(samples: ProtocolSamples, chunks: readonly Uint8Array[]): Promise<CheckedAnswer> {
  return readChecked(open(samples, { url: "http://127.0.0.1:1" }, { fetch: chunkFetch(chunks) }));
}

export function askWithText(samples: ProtocolSamples, text: string): Promise<CheckedAnswer> {
  return askWithChunks(samples, [toBytes(text)]);
}

function chunkFetch(chunks: readonly Uint8Array[]): Fetch {
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) if (chunk.length > 0) controller.enqueue(chunk);
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

export function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The events of a sample, each with its blank line. */
export function splitEvents(text: string): string[] {
  return text.match(/(?:.+\n)+\n/g) ?? [];
}

/** Everything before the answer is complete, and the event that completes it. */
export function splitAtTerminal(samples: ProtocolSamples, text: string): { before: string[]; terminal: string } {
  const events = splitEvents(text);
  const at = events.length - 1 - (samples.trailingEvents ?? 0);
  return { before: events.slice(0, at), terminal: events[at] as string };
}

/** Without fields that differ between two runs of the same answer. */
export function comparable({ events, message, failure }: CheckedAnswer): unknown {
  return JSON.parse(JSON.stringify({ events, message, failure }));
}

/** Waits for something the other side does; the test's timeout applies. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}
