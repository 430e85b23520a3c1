import { isContextOverflowText } from "../context-overflow.ts";
import { ProviderError, type ProviderErrorKind } from "../errors.ts";
import { cutText } from "../foundation/cut-text.ts";
import { longestWait, retryAfterMs, retryAfterMsInDetails, retryAfterMsInText } from "./retry-after.ts";

const MAX_BODY_BYTES = 64 * 1024;
const MAX_MESSAGE_CHARS = 2000;

/** Converts a response that is not an event stream to one error with the facts a policy needs. */
export async function toResponseError(response: Response): Promise<ProviderError> {
  const { status } = response;
  const location = response.headers.get("location");
  if (status >= 300 && status < 400 && location) {
    const target = URL.canParse(location) ? new URL(location).origin : location;
    return new ProviderError(
      "invalid_request",
      `HTTP ${status}: the server redirects to ${cut(target)}; set baseUrl to it`,
      {
        status,
      },
    );
  }
  const text = await readStart(response);
  if (response.ok) {
    const error = errorInBody(text);
    if (error) return error;
    const what = looksLikeHtml(text) ? htmlTitle(text) : "a single document";
    return new ProviderError("protocol", `Expected an event stream, got ${what} (HTTP ${status})`, { status });
  }
  const body = parseBody(text);
  const message = describeBody(text, body, response.statusText);
  const kind = kindOfStatus(status, message, text.trim() === "");
  const details = retryAfterMsInDetails(field(field(body, "error"), "details"));
  const wait = longestWait(retryAfterMs(response.headers), retryAfterMsInText(message), details);
  return new ProviderError(kind, `HTTP ${status}: ${message}`, {
    status,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** Reads an error object inside a 200 stream, in any vendor's format. Returns undefined if `value` is not one. */
export function toStreamError(value: unknown): ProviderError | undefined {
  const error = field(value, "error") ?? (field(value, "type") === "error" ? value : undefined);
  if (error === undefined || error === null || error === false) return undefined;
  const message = cut(messageOf(error) ?? (typeof error === "string" ? error : JSON.stringify(error)));
  const words = [field(error, "type"), field(error, "code")].filter((word) => typeof word === "string").join(" ");
  // Google sends `status` as a string next to a numeric `code`.
  const sent = [field(error, "status"), field(error, "code"), field(value, "status")]
    .map(numericStatus)
    .find((number) => number !== undefined);
  const byWord = ERROR_WORDS.find(([pattern]) => pattern.test(words));
  const kind = refineKind(byWord?.[1] ?? (sent ? kindOfStatus(sent, message, false) : "server"), `${words} ${message}`);
  const prefix = words === "" || message.includes(words) ? "" : `${words}: `;
  const wait = longestWait(retryAfterMsInText(message), retryAfterMsInDetails(field(error, "details")));
  const status = byWord?.[2] ?? sent;
  return new ProviderError(kind, `${prefix}${message}`, {
    ...(status !== undefined && { status }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** The vendors' names for their errors, with the corresponding HTTP status. */
const ERROR_WORDS: readonly (readonly [RegExp, ProviderErrorKind, number])[] = [
  [/overloaded/i, "overloaded", 529],
  [/rate_?limit/i, "rate_limit", 429],
  [/insufficient_quota|billing/i, "quota", 402],
  [/authentication|invalid_api_key/i, "auth", 401],
  [/permission/i, "auth", 403],
  [/not_found/i, "not_found", 404],
  [/request_too_large/i, "too_large", 413],
  [/invalid_request|context_length/i, "invalid_request", 400],
  [/timeout/i, "server", 504],
  [/api_error|server_error|internal/i, "server", 500],
];

const STATUS_KINDS: Record<number, ProviderErrorKind> = {
  400: "invalid_request",
  401: "auth",
  402: "quota",
  403: "auth",
  404: "not_found",
  405: "not_found",
  413: "too_large",
  422: "invalid_request",
  429: "rate_limit",
  451: "refused",
  503: "overloaded",
  529: "overloaded",
};

function kindOfStatus(status: number, message: string, isEmpty: boolean): ProviderErrorKind {
  // Some gateways answer an oversized prompt with only the status.
  if (isEmpty && (status === 400 || status === 413)) return "overflow";
  return refineKind(STATUS_KINDS[status] ?? (status >= 500 || status === 408 ? "server" : "invalid_request"), message);
}

/** Conditions that vendors report under several statuses. */
function refineKind(kind: ProviderErrorKind, message: string): ProviderErrorKind {
  if ((kind === "invalid_request" || kind === "too_large") && isContextOverflowText(message)) return "overflow";
  if (kind === "rate_limit" && /quota|insufficient (balance|credits)|billing|spend limit|usage limit/i.test(message)) {
    return "quota";
  }
  if (kind === "invalid_request" && /credit balance is too low/i.test(message)) return "quota";
  if (kind === "invalid_request" && /api key (not valid|expired)/i.test(message)) return "auth";
  return kind;
}

function errorInBody(text: string): ProviderError | undefined {
  return toStreamError(parseBody(text));
}

/** Returns undefined if it is not JSON. Google wraps its one error in a list. */
function parseBody(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) && json.length > 0 ? json[0] : json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function describeBody(text: string, body: unknown, statusText: string): string {
  if (text.trim() === "") return statusText || "no further information";
  if (looksLikeHtml(text)) return htmlTitle(text);
  return cut(messageOf(field(body, "error")) || messageOf(body) || text.trim());
}

function messageOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  for (const key of ["message", "detail", "error_description", "error"]) {
    const found = field(value, key);
    if (typeof found === "string" && found !== "") return found;
  }
  return undefined;
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function numericStatus(value: unknown): number | undefined {
  const status = typeof value === "string" ? Number(value) : value;
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

function looksLikeHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body)/i.test(text);
}

function htmlTitle(text: string): string {
  const title = /<title[^>]*>([^<]*)</i.exec(text)?.[1]?.replace(/\s+/g, " ").trim();
  return title ? `an HTML page ("${cut(title)}")` : "an HTML page";
}

function cut(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences in foreign text must not reach a terminal
  const plain = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, " ");
  return cutText(plain, MAX_MESSAGE_CHARS);
}

/** Reads a bounded part of the body; the caller's watchdog ends a server that stalls here. */
async function readStart(response: Response): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (text.length < MAX_BODY_BYTES) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
    }
    return text;
  } catch {
    return text; // The connection broke while the server sent the reason; the status is enough.
  } finally {
    void reader.cancel().catch(() => {});
  }
}
