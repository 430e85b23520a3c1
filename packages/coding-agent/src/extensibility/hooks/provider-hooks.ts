import type { Fetch, Model } from "@pintle/ai";
import { describeThrown } from "../loading/load-fault.ts";
import { type Callers, callHandler } from "./call-handler.ts";
import { observedEvents } from "./observed-stream.ts";
import type { ObserverQueue } from "./observer-queue.ts";

const PROVIDER_EVENTS = [
  ...(["before_provider_request", "before_provider_headers", "after_provider_response"] as const),
  "provider_stream_event" as const,
];

/** Lets handlers inspect and change the body and headers of each request to a provider, and inspect the response. */
export function wrapFetch(
  callers: Callers,
  queue: ObserverQueue,
  fetch: Fetch,
  model: () => Pick<Model, "provider" | "api" | "id"> | undefined,
): Fetch {
  const { handlers, replaced } = callers;
  if (!PROVIDER_EVENTS.some((event) => handlers.has(event)) && !replaced()) return fetch;
  return async (url, init) => {
    const body = await bodyOf(callers, init.body);
    const headers = await headersOf(callers, init.headers);
    const response = await fetch(url, { ...init, ...(body !== undefined && { body }), ...(headers && { headers }) });
    queue.push("after_provider_response", {
      status: response.status,
      headers: Object.fromEntries(response.headers), // names are in lower case
    });
    if (!handlers.has("provider_stream_event") || !response.ok || !response.body) return response;
    const { provider = "", api = "", id = "" } = model() ?? {};
    const seen = response.body.pipeThrough(
      observedEvents((data) => queue.push("provider_stream_event", { provider, api, model: id, data })),
    );
    return new Response(seen, response);
  };
}

/** Lets handlers modify the headers in place; values that are not headers are ignored. */
async function headersOf(callers: Callers, sent: RequestInit["headers"]): Promise<RequestInit["headers"]> {
  const { handlers, limits, report, replaced } = callers;
  await replaced();
  if (!handlers.has("before_provider_headers")) return sent;
  let current = Object.fromEntries(new Headers(sent));
  for (const subscriber of handlers.of("before_provider_headers")) {
    const headers: Record<string, unknown> = { ...current };
    try {
      const event = { type: "before_provider_headers", headers };
      await callHandler(subscriber, event, limits.usualMs);
      current = Object.fromEntries(new Headers(wanted(headers)));
    } catch (error) {
      report({ path: subscriber.instance.path, event: "before_provider_headers", error: describeThrown(error) });
    }
  }
  return current;
}

function wanted(headers: Record<string, unknown>): Record<string, string> {
  const kept = Object.entries(headers).filter(([, value]) => value !== null && value !== undefined);
  const wrong = kept.find(([, value]) => typeof value !== "string");
  if (wrong) throw new TypeError(`the header ${wrong[0]} must be a string or null`);
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

/** Lets handlers replace or modify the body. An answer that is not JSON is ignored. */
async function bodyOf({ handlers, limits, report, replaced }: Callers, body: RequestInit["body"]) {
  await replaced();
  if (typeof body !== "string") return body;
  let current = body;
  for (const subscriber of handlers.of("before_provider_request")) {
    try {
      const payload: unknown = JSON.parse(current);
      const event = { type: "before_provider_request", payload };
      const answer = await callHandler(subscriber, event, limits.usualMs);
      current = JSON.stringify(answer === undefined ? payload : answer) ?? current;
    } catch (error) {
      report({ path: subscriber.instance.path, event: "before_provider_request", error: describeThrown(error) });
    }
  }
  return current;
}
