import { isContextOverflowText } from "../context-overflow.ts";
import { ProviderError, type ProviderErrorKind, type ProviderFailure } from "../errors.ts";

const MAX_MESSAGE = 2_000;

/** A stream function reports errors as plain text. If the text matches none of these, the call is not retried. */
const WORDS: readonly (readonly [RegExp, ProviderErrorKind])[] = [
  [/rate.?limit|too many requests/i, "rate_limit"],
  [/overloaded|service unavailable/i, "overloaded"],
  [/internal server error|bad gateway|gateway timeout/i, "server"],
  [/fetch failed|socket|ECONN|network error|connection (error|closed|reset|refused)|timed? ?out/i, "network"],
  [/unauthori[sz]ed|forbidden|access denied|(api key|access token)/i, "auth"],
];

/**
 * Converts the error that a stream reported. A function that forwards one of our own streams forwards the facts as
 * well.
 */
export function toForeignError(text: string, failure: unknown): ProviderError {
  const message = text.slice(0, MAX_MESSAGE).toWellFormed() || "The provider ended the answer with an error";
  const { kind, status, retryAfterMs } = (failure ?? {}) as Partial<ProviderFailure>;
  if (typeof kind !== "string" || kind === "aborted") return new ProviderError(kindOf(message), message);
  return new ProviderError(kind, message, {
    ...(typeof status === "number" && { status }),
    ...(typeof retryAfterMs === "number" && { retryAfterMs }),
  });
}

function kindOf(message: string): ProviderErrorKind {
  if (isContextOverflowText(message)) return "overflow";
  return WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? "protocol";
}
