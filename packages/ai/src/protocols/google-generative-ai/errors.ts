import type { FinishReason } from "@google/genai";
import { ProviderError, type ProviderErrorKind } from "../../errors.ts";
import { toStreamError } from "../../transport/error-response.ts";

/** Google's error names, for errors without a status code. */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ["INVALID_ARGUMENT", 400],
  ["FAILED_PRECONDITION", 400],
  ["UNAUTHENTICATED", 401],
  ["PERMISSION_DENIED", 403],
  ["NOT_FOUND", 404],
  ["RESOURCE_EXHAUSTED", 429],
  ["INTERNAL", 500],
  ["UNAVAILABLE", 503],
  ["DEADLINE_EXCEEDED", 504],
]);

/** Converts an error object inside the stream. */
export function toGoogleError(error: unknown): ProviderError {
  const { code, status }: { code?: unknown; status?: unknown } = typeof error === "object" && error ? error : {};
  const number = typeof code === "number" ? code : STATUSES.get(status);
  const known = toStreamError({ error: typeof error === "object" ? { ...error, status: number } : error });
  return known ?? new ProviderError("server", "The provider ended the answer with an error");
}

type Finish = "stop" | "length" | readonly [ProviderErrorKind, string];

const FILTERED: Finish = ["refused", "The provider's filter stopped the answer"];

/** Failures of the model or the service are server errors: the same request may succeed. Two are missing in the SDK. */
const FINISH_REASONS: Record<`${FinishReason}` | "MALFORMED_RESPONSE" | "MISSING_THOUGHT_SIGNATURE", Finish> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  CONTINUATION: "length",
  SAFETY: FILTERED,
  RECITATION: FILTERED,
  LANGUAGE: FILTERED,
  BLOCKLIST: FILTERED,
  PROHIBITED_CONTENT: FILTERED,
  SPII: FILTERED,
  IMAGE_SAFETY: FILTERED,
  IMAGE_PROHIBITED_CONTENT: FILTERED,
  IMAGE_RECITATION: FILTERED,
  MALFORMED_FUNCTION_CALL: ["server", "The model produced a malformed tool call"],
  MALFORMED_RESPONSE: ["server", "The model produced a malformed answer"],
  UNEXPECTED_TOOL_CALL: ["server", "The model called a tool it was not given"],
  TOO_MANY_TOOL_CALLS: ["server", "The model called too many tools in a row"],
  NO_IMAGE: ["server", "The model produced no image"],
  IMAGE_OTHER: ["server", "The model produced no image"],
  OTHER: ["server", "The provider ended the answer for an unspecified reason"],
  FINISH_REASON_UNSPECIFIED: ["server", "The provider ended the answer without a reason"],
  MISSING_THOUGHT_SIGNATURE: ["invalid_request", "A tool call came back without its signature"],
};

/**
 * Returns why the answer ended. Throws for anything except a complete or truncated answer: an unknown reason may have
 * cut it.
 */
export function toFinish(reason: string, detail: unknown): "stop" | "length" {
  const isKnown = Object.hasOwn(FINISH_REASONS, reason);
  const finish = isKnown ? FINISH_REASONS[reason as keyof typeof FINISH_REASONS] : UNKNOWN;
  if (typeof finish === "string") return finish;
  const [kind, text] = finish;
  throw new ProviderError(kind, withDetail(`${text} (${reason.slice(0, MAX_DETAIL_CHARS)})`, detail));
}

const UNKNOWN: Finish = ["protocol", "The answer ended for an unknown reason"];

export function toBlockError(reason: string, detail: unknown): ProviderError {
  return new ProviderError("refused", withDetail(`The provider refused the prompt (${reason})`, detail));
}

const MAX_DETAIL_CHARS = 500;

function withDetail(text: string, detail: unknown): string {
  if (typeof detail !== "string" || detail === "") return text;
  return `${text}: ${detail.slice(0, MAX_DETAIL_CHARS).toWellFormed()}`;
}
