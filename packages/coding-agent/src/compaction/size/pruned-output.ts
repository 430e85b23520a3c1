import type { AgentMessage } from "@pintle/agent";
import { estimateTextTokens } from "@pintle/ai";
import { prunedTokens, pruneNotice } from "@pintle/storage";
import { estimateTokens } from "./token-estimate.ts";

/** Tokens that pruning this result frees. */
export function pruneSaving(tokens: number): number {
  return Math.max(0, tokens - estimateTextTokens(pruneNotice(tokens)));
}

/** Returns when a result was pruned and how many tokens that freed. The notice contains both, so they survive a reload. */
export function pastSaving(message: AgentMessage): { prunedAt: number; tokens: number } | undefined {
  if (message.role !== "toolResult" || message.prunedAt === undefined) return undefined;
  const [block] = message.content;
  const original = block?.type === "text" ? prunedTokens(block.text) : undefined;
  if (original === undefined) return undefined;
  return { prunedAt: message.prunedAt, tokens: Math.max(0, original - estimateTokens(message)) };
}
