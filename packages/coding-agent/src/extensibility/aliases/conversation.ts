import { type AgentMessage, toProviderRole } from "@pintle/agent";
import { messageText } from "../../compaction/summary/conversation-text.ts";

/** Messages as a model gets them; those that are for the history alone are left out. */
export function convertToLlm(messages: readonly AgentMessage[]) {
  return messages.map(toProviderRole).filter((message) => message !== undefined);
}

/** A conversation as one text, for a question about it to another model. */
export function serializeConversation(messages: readonly AgentMessage[]): string {
  return messages
    .map(messageText)
    .filter((text) => text !== "")
    .join("\n\n");
}
