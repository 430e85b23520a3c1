import type { BudgetLimit, BudgetScope } from "@pintle/wire";

/** A limit that is used up, or nearly. */
export interface LimitUse {
  limit: BudgetLimit;
  used: number;
  max: number;
  scope: BudgetScope;
}

/** Resolves when the budget will not be raised any more, or when the signal fires. Must not reject. */
export type BudgetWaiter = (use: LimitUse, signal: AbortSignal) => Promise<void>;
