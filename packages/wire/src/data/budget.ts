import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { BUDGET_LIMITS, BUDGET_SCOPES, ON_BUDGET_REACHED, oneOf, PAUSE_REASONS, REACHED_LIMITS } from "../words.ts";

const whole = (description: string) => Type.Integer({ description });

const costUsd = Type.Number({ description: "by the prices of the models" });
const tokens = whole("input and output, including cached tokens");
const turns = whole("model calls, including retries");
const wallMs = whole("while runs are active; pauses are not included");
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
      whole("for the run: identical consecutive calls with identical results; not part of a budget"),
    ),
  },
  { description: "for each limit that is set" },
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
  description: "`session`: everything that the open branch of the session ever used",
});
export type BudgetScope = Static<typeof BudgetScopeSchema>;

export const BudgetStateSchema = Type.Object({
  scope: BudgetScopeSchema,
  onReached: oneOf(ON_BUDGET_REACHED),
  used: BudgetUsedSchema,
  left: BudgetAmountsSchema,
});
export type BudgetState = Static<typeof BudgetStateSchema>;
