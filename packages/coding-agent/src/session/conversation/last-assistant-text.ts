import type { AgentMessage } from "@pintle/agent";
import { textsOf } from "@pintle/ai";

/** Text of the newest answer. An answer that was aborted before it said anything does not count. */
export function lastAssistantText(messages: readonly AgentMessage[]): string | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== "assistant" || (message.stopReason === "aborted" && message.content.length === 0)) continue;
    const text = textsOf(message.content).join("");
    return text.trim() || undefined;
  }
  return undefined;
}
