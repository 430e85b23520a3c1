import type { ProviderErrorKind, ProviderFailure } from "./errors.ts";

/** Conditions that pass: the same request may well succeed a little later. */
const PASSING_KINDS: ReadonlySet<ProviderErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "server",
  "network",
  "stall",
  "truncated",
]);

/** Statuses that mean the same whatever else is known. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([
  408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529,
]);

/** Conditions that their status does not tell: they have policies of their own. */
const SPECIAL_KINDS: ReadonlySet<ProviderErrorKind> = new Set(["aborted", "overflow", "quota", "auth", "refused"]);

/** The provider cannot at the moment: another one might. */
export function isPassing(failure: ProviderFailure): boolean {
  return failure.kind === "quota" || isWorthRetrying(failure);
}

/**
 * Whether trying again can help. Facts decide, never a number somewhere in the text: a token count of 500 is no server
 * error. A limit on usage passes too, if the server says when.
 */
export function isWorthRetrying({ kind, status, retryAfterMs }: ProviderFailure): boolean {
  if (kind === "quota") return retryAfterMs !== undefined;
  if (SPECIAL_KINDS.has(kind)) return false;
  return PASSING_KINDS.has(kind) || (status !== undefined && PASSING_STATUSES.has(status));
}
