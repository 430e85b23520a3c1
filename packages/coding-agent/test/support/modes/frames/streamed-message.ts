import type { AgentEvent } from "@pintle/agent";
import { type AssistantContent, type AssistantMessage, type AssistantUpdateEvent, zeroUsage } from "@pintle/ai";

export function assistantMessage(content: AssistantContent[] = []): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: "scripted",
    provider: "test",
    model: "scripted",
    usage: zeroUsage(),
    stopReason: "stop",
    timestamp: 1,
  };
}

export type MessageUpdate = Extract<AgentEvent, { type: "message_update" }>;
type WithoutPartial<T> = T extends { partial: AssistantMessage } ? Omit<T, "partial"> : never;

function update(message: AssistantMessage, event: WithoutPartial<AssistantUpdateEvent>): MessageUpdate {
  return {
    type: "message_update",
    message,
    assistantMessageEvent: { ...event, partial: message } as AssistantUpdateEvent,
  };
}

/**
 * Creates the updates of one assistant message as the loop emits them: each has a snapshot, with identical `message` and
 * `partial`.
 */
export class StreamedMessage {
  #message = assistantMessage();

  get message(): AssistantMessage {
    return this.#message;
  }

  startText(): MessageUpdate {
    this.#message = { ...this.#message, content: [...this.#message.content, { type: "text", text: "" }] };
    return update(this.#message, { type: "text_start", contentIndex: this.#last });
  }

  text(delta: string): MessageUpdate {
    const content = this.#message.content.slice();
    content[this.#last] = { type: "text", text: this.#text + delta };
    this.#message = { ...this.#message, content };
    return update(this.#message, { type: "text_delta", contentIndex: this.#last, delta });
  }

  endText(): MessageUpdate {
    return update(this.#message, { type: "text_end", contentIndex: this.#last, content: this.#text });
  }

  startThinking(): MessageUpdate {
    this.#message = { ...this.#message, content: [...this.#message.content, { type: "thinking", thinking: "" }] };
    return update(this.#message, { type: "thinking_start", contentIndex: this.#last });
  }

  thinking(delta: string): MessageUpdate {
    const content = this.#message.content.slice();
    const block = content[this.#last];
    content[this.#last] = { type: "thinking", thinking: (block?.type === "thinking" ? block.thinking : "") + delta };
    this.#message = { ...this.#message, content };
    return update(this.#message, { type: "thinking_delta", contentIndex: this.#last, delta });
  }

  get #last(): number {
    return this.#message.content.length - 1;
  }

  get #text(): string {
    const block = this.#message.content[this.#last];
    return block?.type === "text" ? block.text : "";
  }
}

export function toolUpdate(toolCallId: string, text: string): Extract<AgentEvent, { type: "tool_execution_update" }> {
  return {
    type: "tool_execution_update",
    toolCallId,
    toolName: "bash",
    args: { command: "make" },
    partialResult: { content: [{ type: "text", text }] },
  };
}

export function toolEnd(toolCallId: string): Extract<AgentEvent, { type: "tool_execution_end" }> {
  return { type: "tool_execution_end", toolCallId, toolName: "bash", result: { content: [] }, isError: false };
}
