export interface ThresholdSettings {
  reserveTokens: number;
  /** 0 or less: not set. Goes before the percentage. */
  thresholdTokens: number;
  /** 0 or less: not set. */
  thresholdPercent: number;
}

const LEAST_RESERVE = 0.15;

/** A conversation with more tokens than this is compacted. Undefined: the window is not known, so never. */
export function compactionThreshold(contextWindow: number, settings: ThresholdSettings): number | undefined {
  if (contextWindow <= 0) return undefined;
  const { thresholdTokens, thresholdPercent } = settings;
  if (thresholdTokens > 0) return Math.min(Math.max(thresholdTokens, 1), contextWindow - 1);
  if (thresholdPercent > 0) return Math.floor((contextWindow * Math.min(Math.max(thresholdPercent, 1), 99)) / 100);
  const least = Math.floor(contextWindow * LEAST_RESERVE);
  return contextWindow - Math.max(least, usableReserve(contextWindow, settings.reserveTokens));
}

/** A reserve that is larger than the window would leave nothing to work with. */
export function usableReserve(contextWindow: number, reserveTokens: number): number {
  return contextWindow > 0 && reserveTokens >= contextWindow
    ? Math.floor(contextWindow * LEAST_RESERVE)
    : reserveTokens;
}
