import { type AgentMessage, toProviderRole } from "@pintle/agent";
import { messageText } from "../../compaction/summary/conversation-text.ts";

/** Converts messages to what a model receives; messages for the history alone are omitted. */
export function convertToLlm(messages: readonly AgentMessage[]) {
  return messages.map(toProviderRole).filter((message) => message !== undefined);
}

/** Returns a conversation as one string, for a question about it to another model. */
export function serializeConversation(messages: readonly AgentMessage[]): string {
  return messages
    .map(messageText)
    .filter((text) => text !== "")
    .join("\n\n");
}
