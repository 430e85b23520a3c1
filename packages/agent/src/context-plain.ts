import type { ProviderMessage, ToolCall } from "@pintle/ai";
import type { AgentMessage } from "./messages.ts";
import { syntheticDetails } from "./tool-result.ts";

/**
 * Returns true if the model receives the messages as they are, which is nearly always the case: roles that providers know,
 * answers that succeeded, their results directly after them in the order of the calls, and no two user messages in a row.
 */
export function isPlain(messages: readonly AgentMessage[]): messages is readonly ProviderMessage[] {
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index]!;
    if (message.role === "user") {
      if (messages[index + 1]?.role === "user") return false;
    } else if (message.role === "assistant") {
      if (message.stopReason === "error" || message.stopReason === "aborted") return false;
      for (const block of message.content) {
        if (block.type !== "toolCall") continue;
        index += 1;
        if (!isResultOf(messages[index], block)) return false;
      }
    } else if (message.role !== "developer") return false;
  }
  return true;
}

function isResultOf(message: AgentMessage | undefined, call: ToolCall): boolean {
  return message?.role === "toolResult" && message.toolCallId === call.id && syntheticDetails(message) === undefined;
}
