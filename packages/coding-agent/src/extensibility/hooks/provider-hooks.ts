import type { Fetch } from "@pintle/ai";
import { describeThrown } from "../loading/load-fault.ts";
import { type Callers, callHandler } from "./call-handler.ts";
import type { ObserverQueue } from "./observer-queue.ts";

/** Lets handlers see and replace the body of each request to a provider, and see how the answer begins. */
export function wrapFetch(callers: Callers, queue: ObserverQueue, fetch: Fetch): Fetch {
  const { handlers, replaced } = callers;
  const isHeard = handlers.has("before_provider_request") || handlers.has("after_provider_response");
  if (!isHeard && !replaced()) return fetch;
  return async (url, init) => {
    const response = await fetch(url, { ...init, body: await bodyOf(callers, init.body) });
    queue.push("after_provider_response", {
      status: response.status,
      headers: Object.fromEntries(response.headers), // their names are in lower case
    });
    return response;
  };
}

/** Handlers may also write into the one they get. What cannot be written as JSON is no answer. */
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
