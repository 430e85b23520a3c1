import { describe, expect, test } from "bun:test";
import { BUDGET_LIMITS, type BudgetAmounts, type BudgetUsed } from "@pintle/wire";
import fc from "fast-check";
import { leftOf, limitsUsed, raised, readBudget } from "../../../src/session/budgets/budget.ts";

const total = fc.integer({ min: 1, max: 1_000_000 });
const some = fc.record(Object.fromEntries(BUDGET_LIMITS.map((limit) => [limit, total])), {
  requiredKeys: [],
}) as fc.Arbitrary<BudgetAmounts>;
const used = fc.record(
  Object.fromEntries(BUDGET_LIMITS.map((limit) => [limit, fc.integer({ min: 0, max: 1_200_000 })])),
) as unknown as fc.Arbitrary<BudgetUsed>;

describe("for any limits and any use", () => {
  test("a limit is used up exactly when nothing of it is left", () => {
    fc.assert(
      fc.property(some, used, (limits, spent) => {
        const budget = readBudget(limits);
        if (!budget) return expect(limits).toEqual({});
        const left = leftOf(budget, spent);
        const gone = limitsUsed(budget, spent, 1).map(({ limit }) => limit);
        expect(Object.keys(left).sort()).toEqual(Object.keys(limits).sort());
        expect(BUDGET_LIMITS.filter((limit) => left[limit] === 0)).toEqual(gone);
      }),
    );
  });

  test("raising never uses up a limit that was not, and what is not named stays", () => {
    fc.assert(
      fc.property(some, some, used, (limits, more, spent) => {
        const budget = readBudget(limits);
        const named = BUDGET_LIMITS.filter((limit) => limits[limit] !== undefined && more[limit] !== undefined);
        if (!budget || named.length === 0) return;
        const totals = Object.fromEntries(named.map((limit) => [limit, (limits[limit] ?? 0) + (more[limit] ?? 0)]));
        const higher = raised(budget, totals);
        const before = new Set(limitsUsed(budget, spent, 1).map(({ limit }) => limit));
        for (const { limit } of limitsUsed(higher, spent, 1)) expect(before.has(limit)).toBe(true);
        for (const limit of BUDGET_LIMITS) if (!(limit in totals)) expect(higher.max[limit]).toBe(budget.max[limit]);
      }),
    );
  });
});

describe("what is no limit", () => {
  test.each([
    [{ costUsd: 0 }, "costUsd must be a number above 0"],
    [{ costUsd: Number.POSITIVE_INFINITY }, "costUsd must be a number above 0"],
    [{ tokens: -1 }, "tokens must be an integer above 0"],
    [{ turns: 1.5 }, "turns must be an integer above 0"],
  ])("%j", (limits, message) => {
    expect(() => readBudget(limits)).toThrow(message);
  });
});
