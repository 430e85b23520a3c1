import { ProviderError } from "./errors.ts";
import { LONGEST_TIMER_MS } from "./foundation/delay.ts";
import type { Model } from "./model.ts";

/** No reader waits longer than an hour for one answer. */
const DEFAULT_TOTAL_MS = 3_600_000;
/** Far above the output limit of any model: only a server that ignores the requested limit reaches it. */
const CHARS_PER_TOKEN = 32;
const MIN_CHARS = 8 * 1024 * 1024;
/**
 * Limits of one answer. A missing value or 0 selects the default, except for the time limit, where 0 means no limit.
 */
export interface AnswerLimits {
  /** Characters of text, thinking and arguments together. */
  maxAnswerChars?: number;
  /** Measured from the request to the end of the answer. */
  totalTimeoutMs?: number;
}

export function maxAnswerChars({ maxTokens }: Pick<Model, "maxTokens">, given: AnswerLimits): number {
  return given.maxAnswerChars || Math.max(MIN_CHARS, maxTokens * CHARS_PER_TOKEN);
}

export function tooLongError(chars: number): ProviderError {
  return new ProviderError("protocol", `The answer has more than ${chars} characters`);
}

/** Calls back when the answer takes too long. Returns a function that cancels the timer. */
export function limitTime(
  { totalTimeoutMs = DEFAULT_TOTAL_MS }: AnswerLimits,
  onEnd: (error: ProviderError) => void,
): () => void {
  if (totalTimeoutMs <= 0) return () => {};
  const error = new ProviderError(
    "protocol",
    `The answer was not complete after ${Math.round(totalTimeoutMs / 1000)} s`,
  );
  const timer = setTimeout(() => onEnd(error), Math.min(totalTimeoutMs, LONGEST_TIMER_MS));
  return () => clearTimeout(timer);
}
