/** What a compaction may leave in the context, in estimated tokens. */
export interface WindowBudget {
  /** Target size of the kept newest messages. */
  keep: number;
  /** Maximum size of the kept messages. */
  most: number;
  /** Maximum size of the summary. */
  summary: number;
}

export interface BudgetRequest {
  /** Undefined if the window is unknown. */
  threshold?: number;
  /** Estimated size of what is sent in addition to messages. */
  overheadTokens: number;
  reserveTokens: number;
  keepRecentTokens: number;
  /** How many tokens the provider counts per estimated token; at least 1. */
  tokenRatio: number;
  /** Estimated size of a request that was refused although it should have fit: the window is smaller than declared. */
  refusedTokens?: number;
}

const SUMMARY_SHARE = 1 / 3;
/** A shorter summary would be useless. */
const LEAST_SUMMARY_TOKENS = 100;
/** Share of what the summary leaves; the rest is headroom until the next compaction. */
const KEEP_SHARE = 2 / 3;

/** Reduces settings that are too large for a small window, because the result must be below the threshold. */
export function windowBudget(request: BudgetRequest): WindowBudget {
  const { threshold, tokenRatio, overheadTokens, reserveTokens, refusedTokens } = request;
  const wanted = Math.max(1, Math.floor(request.keepRecentTokens / tokenRatio));
  if (threshold === undefined && refusedTokens === undefined) {
    return { keep: wanted, most: Number.POSITIVE_INFINITY, summary: reserveTokens };
  }
  const limit = Math.min(
    (threshold ?? Number.POSITIVE_INFINITY) / tokenRatio,
    (refusedTokens ?? Number.POSITIVE_INFINITY) / 2,
  );
  const room = Math.max(1, Math.floor(limit - overheadTokens));
  const summary = Math.min(reserveTokens, Math.max(LEAST_SUMMARY_TOKENS, Math.floor(room * SUMMARY_SHARE)));
  const most = Math.max(1, room - summary);
  return { keep: Math.min(wanted, Math.max(1, Math.floor(most * KEEP_SHARE))), most, summary };
}
