import type { ProviderErrorKind, ProviderFailure } from "@pintle/ai";

const LONGEST_BACKOFF_MS = 30_000;

/** Reasons that may have passed a moment later. */
const PASSING_KINDS: ReadonlySet<ProviderErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "server",
  "network",
  "stall",
  "truncated",
]);
/** 408 and 5xx have a kind of their own. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([409, 425]);

export interface RetrySettings {
  enabled: boolean;
  maxRetries: number;
  baseDelayMs: number;
  maxDelayMs: number;
}

/** How long to wait before repeating a failed call; `attempt` counts repetitions from 1. Undefined: it is not repeated. */
export function retryDelay(failure: ProviderFailure, attempt: number, settings: RetrySettings): number | undefined {
  const { kind, status, retryAfterMs } = failure;
  if (!settings.enabled || attempt > settings.maxRetries) return undefined;
  if (retryAfterMs !== undefined && retryAfterMs > settings.maxDelayMs) return undefined;
  const isPassing = PASSING_KINDS.has(kind) || (status !== undefined && PASSING_STATUSES.has(status));
  // A used-up allowance comes back only when the server says when.
  if (!isPassing && !(kind === "quota" && retryAfterMs !== undefined)) return undefined;
  return Math.max(Math.min(settings.baseDelayMs * 2 ** (attempt - 1), LONGEST_BACKOFF_MS), retryAfterMs ?? 0);
}
