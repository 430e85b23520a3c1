import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { BUDGET_LIMITS, BUDGET_SCOPES, ON_BUDGET_REACHED, oneOf, PAUSE_REASONS, REACHED_LIMITS } from "../words.ts";

const whole = (description: string) => Type.Integer({ description });

const costUsd = Type.Number({ description: "by the prices of the models" });
const tokens = whole("read and written, from caches too");
const turns = whole("calls of the model, repeated ones too");
const wallMs = whole("while runs are at work; the time of a pause does not count");
const toolCalls = whole("that the model asked for");

export const BudgetUsedSchema = Type.Object({ costUsd, tokens, turns, wallMs, toolCalls });
export type BudgetUsed = Static<typeof BudgetUsedSchema>;

export const BudgetAmountsSchema = Type.Object(
  {
    costUsd: Type.Optional(costUsd),
    tokens: Type.Optional(tokens),
    turns: Type.Optional(turns),
    wallMs: Type.Optional(wallMs),
    toolCalls: Type.Optional(toolCalls),
    identicalCalls: Type.Optional(
      whole("of the run: the same calls in a row with the same results; not part of a budget"),
    ),
  },
  { description: "of each limit there is" },
);
export type BudgetAmounts = Static<typeof BudgetAmountsSchema>;

export const BudgetLimitSchema = oneOf(BUDGET_LIMITS, { description: "which of the limits" });
export type BudgetLimit = Static<typeof BudgetLimitSchema>;

export const ReachedLimitSchema = oneOf(REACHED_LIMITS, {
  description: "a limit of the budget, or one that every run has",
});
export type ReachedLimit = Static<typeof ReachedLimitSchema>;

export const PauseReasonSchema = oneOf(PAUSE_REASONS, {
  description:
    "`no_progress`: the model repeats the same calls (`agent.maxIdenticalCalls`). `no_input`: many turns without a user message (`agent.askAfterTurns`)",
});
export type PauseReason = Static<typeof PauseReasonSchema>;

export const BudgetScopeSchema = oneOf(BUDGET_SCOPES, {
  description: "`session`: everything the open branch of the session ever used",
});
export type BudgetScope = Static<typeof BudgetScopeSchema>;

export const BudgetStateSchema = Type.Object({
  scope: BudgetScopeSchema,
  onReached: oneOf(ON_BUDGET_REACHED),
  used: BudgetUsedSchema,
  left: BudgetAmountsSchema,
});
export type BudgetState = Static<typeof BudgetStateSchema>;
