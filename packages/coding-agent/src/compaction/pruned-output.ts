import type { AgentMessage } from "@pintle/agent";
import { estimateTextTokens } from "@pintle/ai";
import { estimateTokens } from "./token-estimate.ts";

const NOTICE = /^\[Output truncated - (\d+) tokens\]$/;

/** What the context shows in place of a pruned result. */
export function pruneNotice(tokens: number): string {
  return `[Output truncated - ${tokens} tokens]`;
}

/** Tokens that pruning this result frees. */
export function pruneSaving(tokens: number): number {
  return Math.max(0, tokens - estimateTextTokens(pruneNotice(tokens)));
}

/** For a result that was pruned: when, and how much that freed. The notice itself says it, so a reload knows it too. */
export function pastSaving(message: AgentMessage): { prunedAt: number; tokens: number } | undefined {
  if (message.role !== "toolResult" || message.prunedAt === undefined) return undefined;
  const [block] = message.content;
  const original = block?.type === "text" ? NOTICE.exec(block.text)?.[1] : undefined;
  if (original === undefined) return undefined;
  return { prunedAt: message.prunedAt, tokens: Math.max(0, Number(original) - estimateTokens(message)) };
}
