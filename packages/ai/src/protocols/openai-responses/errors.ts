import { ProviderError, type ProviderErrorKind } from "../../errors.ts";
import { toStreamError } from "../../transport/error-response.ts";

/** Error codes whose names do not reveal the kind of error. */
const CODE_KINDS: readonly (readonly [RegExp, ProviderErrorKind])[] = [
  [/policy|^invalid_prompt$/, "refused"],
  [/^slow_down$/, "overloaded"],
  [/^context_length_exceeded$/, "overflow"],
  [/image|^invalid_|^data_residency/, "invalid_request"],
];

/** Converts an error event, or the error of a failed response. */
export function toResponsesError(error: unknown): ProviderError {
  const general = toStreamError({ error: withoutEventType(error) });
  if (!general) return new ProviderError("server", "The provider ended the answer with an error");
  const code = codeOf(error);
  const kind = CODE_KINDS.find(([pattern]) => pattern.test(code))?.[1];
  if (!kind) return general;
  const { retryAfterMs } = general;
  return new ProviderError(kind, general.message, { ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

/** Newer events have the error in a field; older events are the error. */
export function toEventError(event: object): ProviderError {
  return toResponsesError("error" in event && event.error ? event.error : event);
}

function withoutEventType(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return error;
  const { type, ...rest } = error as { type?: unknown };
  return type === "error" ? rest : error;
}

function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : "";
}
