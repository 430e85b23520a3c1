import type { BudgetScope, PauseReason, ReachedLimit } from "@pintle/wire";

/** A limit that is used up, or nearly. */
export interface LimitUse {
  limit: ReachedLimit;
  used: number;
  max: number;
  scope: BudgetScope;
  /** Absent if a budget sets the limit. */
  reason?: PauseReason;
}

/** Resolves when the budget will not be raised any more, or when the signal fires. Must not reject. */
export type BudgetWaiter = (use: LimitUse, signal: AbortSignal) => Promise<void>;
