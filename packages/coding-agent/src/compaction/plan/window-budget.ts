/** What a compaction may leave in the context, in our estimate of tokens. */
export interface WindowBudget {
  /** What is kept of the newest messages when there is a place to cut. */
  keep: number;
  /** What the kept messages may have at most. */
  most: number;
  /** What the summary may have. */
  summary: number;
}

export interface BudgetRequest {
  /** Undefined if the window is unknown. */
  threshold?: number;
  /** What is sent besides messages, in our estimate. */
  overheadTokens: number;
  reserveTokens: number;
  keepRecentTokens: number;
  /** How many tokens the provider counts for one of our estimate; at least 1. */
  tokenRatio: number;
  /** Our estimate of a request that was refused although it should have fitted: the window is smaller than declared. */
  refusedTokens?: number;
}

const SUMMARY_SHARE = 1 / 3;
/** A shorter summary would say nothing. */
const LEAST_SUMMARY_TOKENS = 100;
/** Of what the summary leaves; the rest is room to go on before the next compaction. */
const KEEP_SHARE = 2 / 3;

/** Settings that suit a large window yield to a small one: afterwards the conversation must be below the threshold. */
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
