import { Type } from "@pintle/ai/type";
import { ref } from "../named-types.ts";
import { BUDGET_SCOPES, ON_BUDGET_REACHED, oneOf } from "../words.ts";
import { nullable, row } from "./row.ts";

const limits = () => ({
  costUsd: Type.Optional(Type.Number()),
  tokens: Type.Optional(Type.Integer()),
  turns: Type.Optional(Type.Integer()),
  wallMs: Type.Optional(Type.Integer()),
  toolCalls: Type.Optional(Type.Integer()),
});

/** The parameters of `set_budget`. */
export const budgetFields = () => ({
  ...limits(),
  scope: Type.Optional(oneOf(BUDGET_SCOPES)),
  onReached: Type.Optional(oneOf(ON_BUDGET_REACHED)),
  costUnknown: Type.Optional(oneOf(["ignore"])),
});

/** Limits of a run or a session. */
export const budgetCommands = {
  set_budget: row({
    summary:
      "Replace the budget. Without a limit there is none. `scope` is `run` and `onReached` is `pause` unless given; see budgets.md.",
    params: () => Type.Object(budgetFields()),
    result: () => nullable(ref("BudgetState")),
    lane: "control",
  }),
  raise_budget: row({
    summary:
      "New totals for limits of the budget, none lower than before; a run that waits for it continues. `identicalCalls`, and `turns` without such a limit in the budget, answer a run that waits for its own limits; `turns` is then counted from the last user message.",
    params: () => Type.Object({ ...limits(), identicalCalls: Type.Optional(Type.Integer()) }),
    result: () => ref("BudgetState"),
    lane: "control",
  }),
};
