import { createSystemClock } from "@pintle/agent";
import { type AssistantMessage, type ToolCall, type ToolResultMessage, type UserMessage, zeroUsage } from "@pintle/ai";

const clock = createSystemClock();

export function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }], attribution: "user", timestamp: clock.now() };
}

export function assistant(text: string, calls: readonly string[] = []): AssistantMessage {
  return {
    role: "assistant",
    content: [
      { type: "text", text },
      ...calls.map((id): ToolCall => ({ type: "toolCall", id, name: "bash", arguments: {} })),
    ],
    api: "openai-completions",
    provider: "acme",
    model: "large",
    usage: zeroUsage(),
    stopReason: calls.length > 0 ? "toolUse" : "stop",
    timestamp: clock.now(),
  };
}

export function toolResult(toolCallId: string, text = `result of ${toolCallId}`): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "bash",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: clock.now(),
  };
}

/** Base64 of an image too large to keep in a line. */
export function imageData(seed: number, bytes = 3000): string {
  return Buffer.from(Uint8Array.from({ length: bytes }, (_, index) => (index * 7 + seed) & 0xff)).toString("base64");
}
