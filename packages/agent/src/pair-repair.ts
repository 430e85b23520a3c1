import type { ProviderMessage, ToolCall, ToolResultMessage } from "@pintle/ai";
import type { AgentMessage } from "./messages.ts";

const MISSING_RESULT = "The tool run was interrupted and no result is recorded.";

/**
 * Every provider requires the results of a message's calls directly after it, each once, in the order of the calls.
 * After a crash, a branch or a message in between, this may not hold; this function restores it in one pass.
 */
export function repairPairs(messages: readonly ProviderMessage[]): ProviderMessage[] {
  const results = resultsByCall(messages);
  const repaired: ProviderMessage[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") continue; // placed after its call, or without a call
    repaired.push(message);
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type === "toolCall") repaired.push(results.get(block) ?? missingResult(block, message.timestamp));
    }
  }
  return repaired;
}

/** A result belongs to the newest message before it that has a call with its id; the first of several wins. */
export function resultsByCall(messages: readonly AgentMessage[]): Map<ToolCall, ToolResultMessage> {
  const newestCalls = new Map<string, ToolCall[]>();
  const results = new Map<ToolCall, ToolResultMessage>();
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "toolCall") newestCalls.set(block.id, []);
      for (const block of message.content) {
        if (block.type === "toolCall") newestCalls.get(block.id)?.push(block); // one message may use an id twice
      }
    } else if (message.role === "toolResult") {
      const call = newestCalls.get(message.toolCallId)?.shift();
      if (call) results.set(call, message);
    }
  }
  return results;
}

function missingResult(call: ToolCall, timestamp: number): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: MISSING_RESULT }],
    isError: true,
    timestamp,
  };
}
