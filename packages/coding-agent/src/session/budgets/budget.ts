import { SessionError } from "@pintle/storage";
import {
  BUDGET_LIMITS,
  type BudgetAmounts,
  type BudgetLimit,
  type BudgetScope,
  type BudgetUsed,
  type Params,
  type PauseReason,
  type ReachedLimit,
} from "@pintle/wire";

/** A limit that is reached, or nearly reached. */
export interface LimitUse {
  limit: ReachedLimit;
  used: number;
  max: number;
  scope: BudgetScope;
  /** Absent if a budget sets the limit. */
  reason?: PauseReason;
}

/** Resolves when the budget will no longer be raised, or when the signal fires. Must not reject. */
export type BudgetWaiter = (use: LimitUse, signal: AbortSignal) => Promise<void>;

/** A budget as a host, a flag or the SDK requests it. */
export type BudgetOptions = Params<"set_budget">;

export interface Budget {
  max: BudgetAmounts;
  scope: BudgetScope;
  onReached: "pause" | "stop";
  /** Whether calls of models without a known price are free. */
  ignoresUnknownCost: boolean;
}

/** The fraction of a limit that triggers a warning. */
export const WARN_AT = 0.8;

/** Reads and checks a budget. Returns undefined if nothing is limited. Throws an error that describes the mistake. */
export function readBudget({
  scope = "run",
  onReached = "pause",
  costUnknown,
  ...limits
}: BudgetOptions): Budget | undefined {
  const max = readLimits(limits);
  if (Object.keys(max).length === 0) return undefined;
  return { max, scope, onReached, ignoresUnknownCost: costUnknown === "ignore" };
}

/** Returns the budget with new totals. Throws if a total is lower than before, or if the budget has no such limit. */
export function raised(budget: Budget, totals: BudgetAmounts): Budget {
  const limits = readLimits(totals);
  for (const limit of BUDGET_LIMITS) {
    const total = limits[limit];
    const before = budget.max[limit];
    if (total === undefined) continue;
    if (before === undefined) throw new SessionError("invalid_request", `The budget has no limit ${limit}`);
    if (total < before) throw new SessionError("invalid_request", `${limit} must be at least ${before}`);
  }
  if (Object.keys(limits).length === 0) throw new SessionError("invalid_request", "No new limit is given");
  return { ...budget, max: { ...budget.max, ...limits } };
}

/** Returns the limits of which at least `fraction` is used. */
export function limitsUsed(
  { max, scope }: Budget,
  used: BudgetUsed,
  part: number,
): (LimitUse & { limit: BudgetLimit })[] {
  return BUDGET_LIMITS.flatMap((limit) => {
    const most = max[limit];
    return most !== undefined && used[limit] >= most * part ? [{ limit, used: used[limit], max: most, scope }] : [];
  });
}

export function leftOf({ max }: Budget, used: BudgetUsed): BudgetAmounts {
  const left: BudgetAmounts = {};
  for (const limit of BUDGET_LIMITS) {
    const most = max[limit];
    if (most !== undefined) left[limit] = Math.max(0, most - used[limit]);
  }
  return left;
}

function readLimits(limits: BudgetAmounts): BudgetAmounts {
  const read: BudgetAmounts = {};
  for (const limit of BUDGET_LIMITS) {
    const value = limits[limit];
    if (value === undefined) continue;
    const isRight = Number.isFinite(value) && value > 0 && (limit === "costUsd" || Number.isInteger(value));
    if (!isRight) {
      const kind = limit === "costUsd" ? "a number" : "an integer";
      throw new SessionError("invalid_request", `${limit} must be ${kind} above 0`);
    }
    read[limit] = value;
  }
  return read;
}
