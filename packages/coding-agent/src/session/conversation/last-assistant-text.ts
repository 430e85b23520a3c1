import type { AgentMessage } from "@pintle/agent";
import { textsOf } from "@pintle/ai";

/** Returns the text of the newest answer. Skips an answer that was aborted before it contained anything. */
export function lastAssistantText(messages: readonly AgentMessage[]): string | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== "assistant" || (message.stopReason === "aborted" && message.content.length === 0)) continue;
    const text = textsOf(message.content).join("");
    return text.trim() || undefined;
  }
  return undefined;
}
