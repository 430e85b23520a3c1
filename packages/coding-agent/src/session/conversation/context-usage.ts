import { type AgentMessage, toProviderRole } from "@pintle/agent";
import { type AssistantMessage, contextTokens, estimateMessageTokens, isMeasure, type Model } from "@pintle/ai";
import type { ContextUsage } from "@pintle/wire";

/** Returns how full the model's context window is. Returns undefined without a model or a known window. */
export function contextUsage(
  messages: readonly AgentMessage[],
  { model, overheadTokens }: { model: Model | undefined; overheadTokens: () => number },
): ContextUsage | undefined {
  if (!model || model.contextWindow <= 0) return undefined;
  const { contextWindow } = model;
  const measured = messages.findLastIndex((message) => message.role === "assistant" && isMeasure(message));
  const summary = newestSummary(messages);
  const last = messages[measured] as AssistantMessage | undefined;
  if (summary && (!last || last.timestamp < summary.timestamp)) {
    return { tokens: null, contextWindow, percent: null };
  }
  const known = last ? contextTokens(last.usage) : overheadTokens();
  const tokens = known + estimateTokens(messages.slice(measured + 1));
  return { tokens, contextWindow, percent: (tokens / contextWindow) * 100 };
}

/** Caches the newest summary per conversation; it stays valid while the number of messages is the same. */
const summaries = new WeakMap<readonly AgentMessage[], { length: number; summary: AgentMessage | undefined }>();

/**
 * Returns the newest summary. Cached, because every `get_state` asks, and without a summary the search reads all
 * messages.
 */
function newestSummary(messages: readonly AgentMessage[]): AgentMessage | undefined {
  const known = summaries.get(messages);
  if (known?.length === messages.length) return known.summary;
  const summary = messages.findLast((message) => message.role === "compactionSummary");
  summaries.set(messages, { length: messages.length, summary });
  return summary;
}

function estimateTokens(messages: readonly AgentMessage[]): number {
  let tokens = 0;
  for (const message of messages) {
    const sent = toProviderRole(message);
    if (sent) tokens += estimateMessageTokens(sent);
  }
  return tokens;
}
