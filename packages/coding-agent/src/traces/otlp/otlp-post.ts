import { errorText } from "@pintle/ai";
import type { Destination } from "../trace-settings.ts";

export type PostEnd =
  | { kind: "sent" }
  /** The receiver may accept it later. */
  | { kind: "later"; why: string; afterMs?: number }
  | { kind: "refused"; why: string };

/** Minimum length of a header value to mask. A key may be short, but shorter values are ordinary words. */
const SHORTEST_HEADER = 6;

const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/** Sends one request. Never rejects, and never exceeds the destination's time limit. */
export async function postJson(destination: Destination, body: object, signal: AbortSignal): Promise<PostEnd> {
  const { url, headers, timeoutMs, isCompressed } = destination;
  try {
    const text = JSON.stringify(body);
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        ...(isCompressed && { "content-encoding": "gzip" }),
      },
      body: isCompressed ? Bun.gzipSync(text) : text,
      redirect: "manual", // the headers are for this address
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await answer.body?.cancel();
    if (answer.ok) return { kind: "sent" };
    const why = `it answered ${answer.status}`;
    if (!PASSING.has(answer.status)) return { kind: "refused", why };
    const seconds = Number(answer.headers.get("retry-after") ?? "");
    return { kind: "later", why, ...(seconds > 0 && { afterMs: seconds * 1000 }) };
  } catch (error) {
    const { createRedactor } = await import("@pintle/ai/secrets");
    return {
      kind: "later",
      why: createRedactor(Object.values(headers), { shortest: SHORTEST_HEADER }).text(errorText(error)),
    };
  }
}
