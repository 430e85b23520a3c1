import { type AgentMessage, toProviderRole } from "@pintle/agent";
import { type AssistantMessage, contextTokens, estimateMessageTokens, isMeasure, type Model } from "@pintle/ai";
import type { ContextUsage } from "@pintle/wire";

/** How full the model's window is. Undefined without a model or without a known window. */
export function contextUsage(
  messages: readonly AgentMessage[],
  { model, overheadTokens }: { model: Model | undefined; overheadTokens: () => number },
): ContextUsage | undefined {
  if (!model || model.contextWindow <= 0) return undefined;
  const { contextWindow } = model;
  const measured = messages.findLastIndex((message) => message.role === "assistant" && isMeasure(message));
  const compacted = messages.findLastIndex((message) => message.role === "compactionSummary");
  const last = messages[measured] as AssistantMessage | undefined;
  if (compacted !== -1 && (!last || last.timestamp < (messages[compacted]?.timestamp ?? 0))) {
    return { tokens: null, contextWindow, percent: null };
  }
  const known = last ? contextTokens(last.usage) : overheadTokens();
  const tokens = known + estimateTokens(messages.slice(measured + 1));
  return { tokens, contextWindow, percent: (tokens / contextWindow) * 100 };
}

function estimateTokens(messages: readonly AgentMessage[]): number {
  let tokens = 0;
  for (const message of messages) {
    const sent = toProviderRole(message);
    if (sent) tokens += estimateMessageTokens(sent);
  }
  return tokens;
}
