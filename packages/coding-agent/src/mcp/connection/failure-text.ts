import { SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { cutText, errorText, isRecord, networkCause } from "@pintle/ai";

/** The server cannot be reached at the moment. */
export class UnreachableError extends Error {}

/** The server refuses this request; other requests are not affected. */
export class ForbiddenError extends Error {}

/** Rewords runtime errors for a request or response in progress. */
export function toUnreachable(error: unknown): unknown {
  const cause = networkCause(error);
  return cause === undefined ? error : new UnreachableError(cause, { cause: error });
}

/** Status codes that a proxy sends while its backend is not ready. */
const PASSING_STATUS: ReadonlySet<number> = new Set([404, 408, 425, 429]);

/** Whether the same attempt may succeed later without any change. */
export function mayPass(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  if (error instanceof SdkHttpError) return error.status >= 500 || PASSING_STATUS.has(error.status);
  return error instanceof Error && error.cause !== undefined && mayPass(error.cause);
}

const MAX_DETAIL = 500;

/** Describes a failure in one line for users, without a proxy's HTML or internals of the official client. */
export function failureText(error: unknown): string {
  if (error instanceof SdkHttpError && error.status >= 400) return httpText(error);
  if (error instanceof SdkError && error.code === SdkErrorCode.CapabilityNotSupported) return notGiven(error);
  const isWrapped = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
  if (isWrapped && error.cause !== undefined) return failureText(error.cause);
  return withoutPages(withoutSchema(error));
}

/** The authorization server's own error message, after the prefix of the official client. */
const UNKNOWN_ERROR = /^((?:HTTP \d+: )?)Invalid OAuth error response: [\s\S]*?\. Raw body: ([\s\S]*)$/;
const MAX_ISSUES = 3;

/** Names the missing or invalid fields of a response; the official client prints its schema errors as JSON. */
function withoutSchema(error: unknown): string {
  const issues = error instanceof Error && "issues" in error && Array.isArray(error.issues) ? error.issues : undefined;
  if (issues)
    return `the response does not follow the protocol: ${issues.slice(0, MAX_ISSUES).map(issueText).join("; ")}`;
  const text = errorText(error);
  const [, status = "", body = ""] = UNKNOWN_ERROR.exec(text) ?? [];
  if (status === "" && body === "") return text;
  const said = cutText(withoutPages(messageIn(body)).trim(), MAX_DETAIL);
  return `${status}the login server refused${said === "" ? "" : `: ${said}`}`;
}

function issueText(issue: unknown): string {
  const { path, message }: { path?: unknown; message?: unknown } = isRecord(issue) ? issue : {};
  const field = Array.isArray(path) && path.length > 0 ? `${path.join(".")}: ` : "";
  return cutText(`${field}${typeof message === "string" ? message : "is wrong"}`, MAX_DETAIL);
}

/** In the newer protocol, a server asks its question in the response to a call. */
function notGiven({ data }: SdkError): string {
  const method = isRecord(data) && typeof data.method === "string" ? data.method : "something";
  return `the server requests ${method} from its client, which pintle does not support`;
}

function httpText({ status, statusText, data }: SdkHttpError): string {
  const text = isRecord(data) && typeof data.text === "string" ? withoutPages(messageIn(data.text)).trim() : "";
  const detail = cutText(text || statusText || "", MAX_DETAIL);
  return detail === "" ? `HTTP ${status}` : `HTTP ${status}: ${detail}`;
}

/** Extracts the human-readable part of a JSON response. */
function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = isRecord(body) && isRecord(body.error) ? body.error : body;
    if (!isRecord(error)) return text;
    return [error.message, error.error_description, error.error].find((part) => typeof part === "string") ?? text;
  } catch {
    return text;
  }
}

/** How much of a page is searched for its title. */
const MAX_HEAD = 8_192;

/** Replaces an HTML page with a short description. */
function withoutPages(text: string): string {
  const start = text.search(/<(?:!doctype|html|head|body)[\s>]/i);
  if (start === -1) return text;
  const title = /<title[^<>]*>([^<]{1,200})/i
    .exec(text.slice(start, start + MAX_HEAD))?.[1]
    ?.replace(/\s+/g, " ")
    .trim();
  return `${text.slice(0, start)}an HTML page${title ? ` ("${title}")` : ""}`;
}
