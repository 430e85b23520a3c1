import type { Fetch } from "@pintle/ai";
import { askHandlers, type Callers } from "./call-handler.ts";
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

/** Handlers may also write into the one they get. */
async function bodyOf(callers: Callers, body: RequestInit["body"]): Promise<RequestInit["body"]> {
  await callers.replaced();
  if (typeof body !== "string" || !callers.handlers.has("before_provider_request")) return body;
  let payload: unknown = JSON.parse(body);
  await askHandlers(
    callers,
    "before_provider_request",
    () => ({ payload }),
    (answer) => {
      payload = answer;
    },
  );
  return JSON.stringify(payload);
}
