import { QUESTIONS } from "@pintle/wire";
import type { BudgetWaiter } from "../../../session/budgets/budget.ts";
import type { HostCapabilities } from "./host-capabilities.ts";
import type { PendingCalls } from "./pending-calls.ts";

export interface BudgetQuestionParts {
  pending: PendingCalls;
  capabilities: HostCapabilities;
  timeoutMs(): number;
}

/** Keeps a run waiting while the host may raise the budget. `budget_reached`, which reports it, was emitted before. */
export function createBudgetWaiter({ pending, capabilities, timeoutMs }: BudgetQuestionParts): BudgetWaiter {
  return async ({ limit, used, max }, signal) => {
    if (!capabilities.current.budgets) return;
    const wait = pending.open({
      kind: "budget",
      deadlineMs: timeoutMs(),
      default: QUESTIONS.budget.default,
      about: { title: `${limit}: ${used} of ${max}`, label: limit },
      signals: [signal],
    });
    await wait.ended;
  };
}
