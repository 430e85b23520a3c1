import type { AgentMessage } from "@pintle/agent";
import { type AssistantMessage, type StopReason, type ToolCall, type ToolResultMessage, zeroUsage } from "@pintle/ai";
import type { ContextItem } from "../../../src/compaction/size/context-items.ts";
import { estimateTokens } from "../../../src/compaction/size/token-estimate.ts";
import { MODEL, usageOf } from "./bench.ts";

let time = 1_000;
const next = () => {
  time += 1;
  return time;
};

/** Returns text of about that many tokens. */
export function long(tokens: number, word = "word"): string {
  return word.padEnd(Math.max(word.length, tokens * 4), " xyz");
}

export function user(text: string, timestamp = next()): AgentMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp };
}

export interface AnswerOptions {
  calls?: readonly (string | Pick<ToolCall, "id" | "name" | "arguments">)[];
  tokens?: number;
  stopReason?: StopReason;
  timestamp?: number;
}

export function answer(text: string, { calls = [], tokens, stopReason, timestamp = next() }: AnswerOptions = {}) {
  const blocks = calls.map(
    (call): ToolCall =>
      typeof call === "string"
        ? { type: "toolCall", id: call, name: "bash", arguments: {} }
        : { type: "toolCall", ...call },
  );
  return {
    role: "assistant",
    content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...blocks],
    api: MODEL.api,
    provider: MODEL.provider,
    model: MODEL.id,
    usage: tokens === undefined ? zeroUsage() : usageOf(tokens),
    stopReason: stopReason ?? (calls.length > 0 ? "toolUse" : "stop"),
    ...(stopReason === "error" && { errorMessage: "it failed" }),
    timestamp,
  } satisfies AssistantMessage;
}

export function result(toolCallId: string, text: string, fields: Partial<ToolResultMessage> = {}): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "bash",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: next(),
    ...fields,
  };
}

export function bash(output: string, command = "ls"): AgentMessage {
  return { role: "bashExecution", command, output, exitCode: 0, cancelled: false, truncated: false, timestamp: next() };
}

export function custom(content: string): AgentMessage {
  return { role: "custom", customType: "note", content, display: true, timestamp: next() };
}

export function developer(content: string): AgentMessage {
  return { role: "developer", content, timestamp: next() };
}

/** Converts them to the form that a session returns; the entry of the nth message is `e<n>`. */
export function items(...messages: AgentMessage[]): ContextItem[] {
  return messages.map((message, index) => ({ entryId: `e${index}`, message, tokens: estimateTokens(message) }));
}
