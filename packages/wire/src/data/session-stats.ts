import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { BudgetStateSchema } from "./budget.ts";
import { CacheBreaksSchema } from "./cache-break.ts";

const orUnknown = (description?: string) =>
  Type.Union([Type.Number(), Type.Null()], ...(description === undefined ? [] : [{ description }]));

export const ContextUsageSchema = Type.Object({
  tokens: orUnknown("null right after a compaction, until an answer reports the new size"),
  contextWindow: Type.Number(),
  percent: orUnknown(),
});
export type ContextUsage = Static<typeof ContextUsageSchema>;

export const TokenCountsSchema = Type.Object({
  input: Type.Number(),
  output: Type.Number(),
  cacheRead: Type.Number(),
  cacheWrite: Type.Number(),
  total: Type.Number({ description: "the sum of the other four" }),
});
export type TokenCounts = Static<typeof TokenCountsSchema>;

export const SessionStatsSchema = Type.Object({
  sessionFile: Type.Optional(Type.String()),
  sessionId: Type.String(),
  userMessages: Type.Number(),
  assistantMessages: Type.Number(),
  toolCalls: Type.Number(),
  toolResults: Type.Number(),
  totalMessages: Type.Number(),
  tokens: TokenCountsSchema,
  premiumRequests: Type.Number(),
  cost: Type.Number({ description: "USD" }),
  cacheBreaks: CacheBreaksSchema,
  contextUsage: Type.Optional(ContextUsageSchema),
  budget: Type.Optional(BudgetStateSchema),
  subagents: Type.Optional(
    Type.Object(
      {
        count: Type.Integer(),
        running: Type.Integer(),
        tokens: Type.Number(),
        cost: Type.Number({ description: "USD" }),
      },
      { description: "those that this process has started; `tokens` and `cost` of the session include them" },
    ),
  ),
  lifetime: Type.Object(
    { tokens: TokenCountsSchema, cost: Type.Number() },
    { description: "everything the active path ever cost, including compacted messages" },
  ),
});
export type SessionStats = Static<typeof SessionStatsSchema>;
