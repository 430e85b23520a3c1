import type { ProviderErrorKind, ProviderFailure } from "./errors.ts";

/** Transient conditions: the same request may succeed a little later. */
const PASSING_KINDS: ReadonlySet<ProviderErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "server",
  "network",
  "stall",
  "truncated",
]);

/** Statuses that are transient regardless of the error kind. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([
  408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529,
]);

/** Conditions that the status does not reveal; they have policies of their own. */
const SPECIAL_KINDS: ReadonlySet<ProviderErrorKind> = new Set(["aborted", "overflow", "quota", "auth", "refused"]);

/** The provider is currently unavailable; another one might not be. */
export function isPassing(failure: ProviderFailure): boolean {
  return failure.kind === "quota" || isWorthRetrying(failure);
}

/**
 * Returns whether a retry can help. Only facts decide, never a number in the text: a token count of 500 is not a server
 * error. A usage limit is also transient if the server says when it ends.
 */
export function isWorthRetrying({ kind, status, retryAfterMs }: ProviderFailure): boolean {
  if (kind === "quota") return retryAfterMs !== undefined;
  if (SPECIAL_KINDS.has(kind)) return false;
  return PASSING_KINDS.has(kind) || (status !== undefined && PASSING_STATUSES.has(status));
}
