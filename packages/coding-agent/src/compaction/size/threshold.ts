export interface ThresholdSettings {
  reserveTokens: number;
  /** 0 or less: not set. Goes before the percentage. */
  thresholdTokens: number;
  /** 0 or less: not set. */
  thresholdPercent: number;
}

const LEAST_RESERVE = 0.15;
/** Of what the window has besides system prompt and tools, the reserve takes no more than this share. */
const MOST_RESERVE = 1 / 3;

/**
 * A conversation with more tokens than this is compacted. Undefined: the window is not known, so never. `overheadTokens`
 * is what a request has besides messages.
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
