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
  const { last, summary, estimate } = factsOf(messages);
  if (summary && (!last || last.timestamp < summary.timestamp)) {
    return { tokens: null, contextWindow, percent: null };
  }
  const tokens = (last ? contextTokens(last.usage) : overheadTokens()) + estimate;
  return { tokens, contextWindow, percent: (tokens / contextWindow) * 100 };
}

interface Facts {
  length: number;
  newest: AgentMessage | undefined;
  /** The newest answer with a usage. */
  last: AssistantMessage | undefined;
  summary: AgentMessage | undefined;
  /** Tokens after the answer with a usage. */
  estimate: number;
}

/** By conversation; valid while it ends with the same message. */
const known = new WeakMap<readonly AgentMessage[], Facts>();

/** Cached, because every `get_state` asks, and without a summary or a usage the search reads all messages. */
function factsOf(messages: readonly AgentMessage[]): Facts {
  const { length } = messages;
  const newest = messages[length - 1];
  const cached = known.get(messages);
  if (cached?.length === length && cached.newest === newest) return cached;
  const measured = messages.findLastIndex((message) => message.role === "assistant" && isMeasure(message));
  const facts: Facts = {
    length,
    newest,
    last: messages[measured] as AssistantMessage | undefined,
    summary: messages.findLast((message) => message.role === "compactionSummary"),
    estimate: estimateTokens(messages.slice(measured + 1)),
  };
  known.set(messages, facts);
  return facts;
}

function estimateTokens(messages: readonly AgentMessage[]): number {
  let tokens = 0;
  for (const message of messages) {
    const sent = toProviderRole(message);
    if (sent) tokens += estimateMessageTokens(sent);
  }
  return tokens;
}
