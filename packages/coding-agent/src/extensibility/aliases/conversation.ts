import { type AgentMessage, toProviderRole } from "@pintle/agent";
import { messageText } from "../../compaction/summary/conversation-text.ts";

/** Converts messages to what a model receives; messages for the history alone are omitted. */
export function convertToLlm(messages: readonly AgentMessage[]) {
  return messages.map(toProviderRole).filter((message) => message !== undefined);
}

/** Serializes a conversation to one string, so that an extension can ask another model about it. */
export function serializeConversation(messages: readonly AgentMessage[]): string {
  return messages
    .map(messageText)
    .filter((text) => text !== "")
    .join("\n\n");
}
