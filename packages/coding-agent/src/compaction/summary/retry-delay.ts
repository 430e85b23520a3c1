import { isWorthRetrying, type ProviderFailure } from "@pintle/ai";

const LONGEST_BACKOFF_MS = 30_000;

export interface RetrySettings {
  enabled: boolean;
  maxRetries: number;
  baseDelayMs: number;
  maxDelayMs: number;
}

/**
 * Returns how long to wait before repeating a failed call; `attempt` counts repetitions from 1. Returns undefined if it
 * is not repeated.
 */
export function retryDelay(failure: ProviderFailure, attempt: number, settings: RetrySettings): number | undefined {
  const { retryAfterMs } = failure;
  if (!settings.enabled || attempt > settings.maxRetries) return undefined;
  if (retryAfterMs !== undefined && retryAfterMs > settings.maxDelayMs) return undefined;
  if (!isWorthRetrying(failure)) return undefined;
  return Math.max(Math.min(settings.baseDelayMs * 2 ** (attempt - 1), LONGEST_BACKOFF_MS), retryAfterMs ?? 0);
}
