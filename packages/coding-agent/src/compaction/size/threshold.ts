export interface ThresholdSettings {
  reserveTokens: number;
  /** Takes precedence over the percentage; 0 or less means unset. */
  thresholdTokens: number;
  /** 0 or less means unset. */
  thresholdPercent: number;
}

const LEAST_RESERVE = 0.15;
/** Maximum share of the window, without system prompt and tools, that the reserve takes. */
const MOST_RESERVE = 1 / 3;

/**
 * A conversation with more tokens is compacted. Undefined if the window is unknown, so never. `overheadTokens` is the
 * size of a request without its messages.
 */
export function compactionThreshold(
  contextWindow: number,
  settings: ThresholdSettings,
  overheadTokens = 0,
): number | undefined {
  if (contextWindow <= 0) return undefined;
  const { thresholdTokens, thresholdPercent } = settings;
  if (thresholdTokens > 0) return Math.min(Math.max(thresholdTokens, 1), contextWindow - 1);
  if (thresholdPercent > 0) return Math.floor((contextWindow * Math.min(Math.max(thresholdPercent, 1), 99)) / 100);
  return contextWindow - usableReserve(contextWindow, settings.reserveTokens, overheadTokens);
}

/** A reserve made for a large window would leave a small one nothing to work with. */
export function usableReserve(contextWindow: number, reserveTokens: number, overheadTokens = 0): number {
  if (contextWindow <= 0) return reserveTokens;
  const least = Math.floor(contextWindow * LEAST_RESERVE);
  const most = Math.floor((contextWindow - overheadTokens) * MOST_RESERVE);
  return Math.max(least, Math.min(reserveTokens, most));
}
