import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { BUDGET_LIMITS, BUDGET_SCOPES, ON_BUDGET_REACHED, oneOf } from "../words.ts";

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
  },
  { description: "of each limit there is" },
);
export type BudgetAmounts = Static<typeof BudgetAmountsSchema>;

export const BudgetLimitSchema = oneOf(BUDGET_LIMITS, { description: "which of the limits" });
export type BudgetLimit = Static<typeof BudgetLimitSchema>;

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
