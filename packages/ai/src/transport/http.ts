import { ProviderError } from "../errors.ts";
import { errorText } from "../foundation/error-text.ts";
import { networkCause } from "../foundation/network-cause.ts";
import { type GrowingList, toWellFormedJson } from "../growing-list.ts";
import { toResponseError } from "./error-response.ts";

export interface ProviderRequest {
  url: string;
  headers: Record<string, string>;
  body: object;
  /** The field of the body that grows with the conversation. */
  list?: string;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Sends a request and returns the body of an event stream. Throws a ProviderError for any other response. */
export async function openEventStream(
  request: ProviderRequest,
  { fetch, signal, list }: { fetch: Fetch; signal: AbortSignal; list?: GrowingList | undefined },
): Promise<ReadableStream<Uint8Array>> {
  const response = await send(request, fetch, toInit(request, signal, list));
  if (!response.ok || !mayCarryEvents(response)) throw await toResponseError(response);
  if (!response.body) throw new ProviderError("truncated", "The server answered without a body");
  return response.body;
}

async function send(request: ProviderRequest, fetch: Fetch, init: RequestInit): Promise<Response> {
  try {
    return await fetch(request.url, init);
  } catch (error) {
    throw toNetworkError(error, request.url);
  }
}

/** Detects requests that can never be sent; as network errors they would be retried. */
function toInit(
  request: ProviderRequest,
  signal: AbortSignal,
  list: GrowingList | undefined,
): RequestInit & { timeout: false } {
  try {
    const { protocol } = new URL(request.url);
    if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`${protocol} is not http: or https:`);
    const headers = { "content-type": "application/json", accept: "text/event-stream", ...request.headers };
    new Headers(headers); // Throws for a name or value that HTTP does not allow.
    return {
      method: "POST",
      headers,
      body: toJson(request, list),
      signal,
      // A redirected POST loses its body or sends the key to another host. The error names the address to use as
      // baseUrl.
      redirect: "manual",
      timeout: false, // Bun gives up after five minutes by default; our own watchdog decides.
    };
  } catch (error) {
    const reason = errorText(error);
    throw new ProviderError("invalid_request", `The request cannot be sent: ${reason}`, { cause: error });
  }
}

/** Returns the same JSON with or without a list that caches the text of earlier requests. */
function toJson({ body, list: name }: ProviderRequest, list: GrowingList | undefined): string {
  if (!list || name === undefined) return toWellFormedJson(body);
  const fields: string[] = [];
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined) continue;
    const json = key === name && Array.isArray(value) ? list.write(value) : toWellFormedJson(value);
    fields.push(`${JSON.stringify(key)}:${json}`);
  }
  return `{${fields.join(",")}}`;
}

/**
 * Some servers send their events without a content type or with an unusual one; refuse only what is certainly something
 * else.
 */
function mayCarryEvents(response: Response): boolean {
  const type = response.headers.get("content-type") ?? "";
  return !/^(text\/html|application\/(json|problem\+json|xml))\b/i.test(type);
}

/** The address without path and query, which may contain keys. */
export function toNetworkError(error: unknown, url?: string): ProviderError {
  if (error instanceof ProviderError) return error;
  const { code, message } = error as { code?: string; message?: string };
  const cause = networkCause(error) ?? [message, code && `(${code})`].filter(Boolean).join(" ");
  const origin = url && URL.canParse(url) ? ` while talking to ${new URL(url).origin}` : "";
  return new ProviderError("network", `Network error: ${cause}${origin}`, { cause: error });
}
