import { type AgentMessage, toProviderRole } from "@pintle/agent";
import { estimateMessageTokens } from "@pintle/ai";

/** Messages never change, so each is counted once. */
const estimates = new WeakMap<AgentMessage, number>();

/** Estimates the tokens of a message from its bytes. Content that is not sent to the model counts as zero. */
export function estimateTokens(message: AgentMessage): number {
  const known = estimates.get(message);
  if (known !== undefined) return known;
  const sent = isFailed(message) ? undefined : toProviderRole(message);
  const tokens = sent ? estimateMessageTokens(sent) : 0;
  estimates.set(message, tokens);
  return tokens;
}

/** A failed answer stays in the history, but no model sees it again. */
export function isFailed(message: AgentMessage): boolean {
  return message.role === "assistant" && message.stopReason === "error";
}
