/** Why a model call failed, as a fact that a policy can act on. */
export type ProviderErrorKind =
  | "aborted" // the caller's signal fired
  | "auth" // 401, 403: key missing, wrong or not allowed
  | "rate_limit" // 429
  | "quota" // spend or usage limit: waiting a few seconds does not help
  | "overloaded" // 503, 529
  | "overflow" // the input does not fit the context window
  | "too_large" // the request has too many bytes
  | "invalid_request" // the server refuses this request as it is
  | "not_found" // no such model or endpoint
  | "server" // other 5xx
  | "network" // refused, reset, unreachable
  | "stall" // connected, but received nothing
  | "truncated" // the stream ended before its terminal event
  | "refused" // safety stop
  | "protocol"; // the response is not what this API sends

export interface ProviderFailure {
  kind: ProviderErrorKind;
  status?: number;
  retryAfterMs?: number;
}

export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: ProviderErrorKind,
    message: string,
    facts: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "ProviderError";
    this.kind = kind;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }

  get failure(): ProviderFailure {
    return {
      kind: this.kind,
      ...(this.status !== undefined && { status: this.status }),
      ...(this.retryAfterMs !== undefined && { retryAfterMs: this.retryAfterMs }),
    };
  }
}

export const ABORTED_TEXT = "Request was aborted";
