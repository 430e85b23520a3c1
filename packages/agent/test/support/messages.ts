import type { UserMessage } from "@pintle/ai";
import { type AssistantContent, type AssistantMessage, type ToolResultMessage, zeroUsage } from "@pintle/ai";

export function user(text: string, timestamp = 1): UserMessage {
  return { role: "user", content: text, timestamp };
}

export function assistant(
  content: AssistantContent[],
  rest: Partial<Omit<AssistantMessage, "role" | "content">> = {},
): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: "scripted",
    provider: "test",
    model: "scripted",
    usage: zeroUsage(),
    stopReason: content.some((block) => block.type === "toolCall") ? "toolUse" : "stop",
    timestamp: 1,
    ...rest,
  };
}

export function text(value: string): AssistantContent & { type: "text" } {
  return { type: "text", text: value };
}

export function call(id: string, name = "echo", args: Record<string, unknown> = {}): AssistantContent {
  return { type: "toolCall", id, name, arguments: args };
}

export function result(
  toolCallId: string,
  value = `result of ${toolCallId}`,
  rest: Partial<ToolResultMessage> = {},
): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "echo",
    content: [{ type: "text", text: value }],
    isError: false,
    timestamp: 1,
    ...rest,
  };
}
