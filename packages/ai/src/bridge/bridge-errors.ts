import { ProviderError, type ProviderErrorKind } from "../errors.ts";
import { toResponseError, toStreamError } from "../transport/error-response.ts";
import { toNetworkError } from "../transport/http.ts";

interface SdkError {
  name?: unknown;
  message?: unknown;
  statusCode?: unknown;
  responseHeaders?: unknown;
  responseBody?: unknown;
  isRetryable?: unknown;
  cause?: unknown;
}

/** The SDK's names for errors that did not come from a server. */
const KINDS: Record<string, ProviderErrorKind> = {
  AI_LoadAPIKeyError: "auth",
  AI_LoadSettingError: "auth",
  AI_NoSuchModelError: "not_found",
  AI_UnsupportedFunctionalityError: "invalid_request",
  AI_InvalidPromptError: "invalid_request",
  AI_InvalidArgumentError: "invalid_request",
  AI_TypeValidationError: "protocol",
  AI_JSONParseError: "protocol",
  AI_EmptyResponseBodyError: "truncated",
};

/** Converts anything a package throws or streams as an error to one error with the facts a policy needs. */
export async function toBridgeError(error: unknown): Promise<ProviderError> {
  if (error instanceof ProviderError) return error;
  if (typeof error !== "object" || error === null) return fromStream(error);
  const { statusCode, responseBody, responseHeaders, message, isRetryable } = error as SdkError;
  const text = typeof message === "string" ? message : "";
  if (isStatus(statusCode)) {
    const body = typeof responseBody === "string" && responseBody !== "" ? responseBody : text;
    return toResponseError(new Response(body, { status: statusCode, headers: toHeaders(responseHeaders) }));
  }
  const kind = KINDS[nameOf(error)];
  if (kind) return new ProviderError(kind, text || nameOf(error), { cause: error });
  // The call received no response and may be retried.
  if (nameOf(error) === "AI_APICallError" && isRetryable === true) return toNetworkError({ message: text });
  if (!(error instanceof Error)) return fromStream(error);
  return typeof (error as { code?: unknown }).code === "string"
    ? toNetworkError(error)
    : new ProviderError("protocol", text, { cause: error });
}

/** One part was not what the package expected; later parts may be. */
export function isValidationError(error: unknown): boolean {
  const { cause } = (error ?? {}) as SdkError;
  return [error, cause].some((candidate) => nameOf(candidate) === "AI_TypeValidationError");
}

function fromStream(error: unknown): ProviderError {
  return toStreamError({ error }) ?? new ProviderError("server", "The provider ended the answer with an error");
}

function nameOf(error: unknown): string {
  const { name } = (error ?? {}) as SdkError;
  return typeof name === "string" ? name : "";
}

function isStatus(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 300 && value < 600;
}

function toHeaders(headers: unknown): Headers {
  const safe = new Headers();
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (/^(retry-after|x-ratelimit-reset)(-ms)?$/i.test(name) && typeof value === "string") safe.set(name, value);
  }
  return safe;
}
