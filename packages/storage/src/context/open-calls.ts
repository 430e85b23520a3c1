import type { ToolCall, ToolResultMessage } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import { isEntry } from "../entries/entries.ts";

/** Returns the calls of the last answer that have no result on this path, because it was cut in the middle of a turn. */
export function openCalls(path: readonly SessionEntry[]): ToolCall[] {
  const answered = new Set<string>();
  for (const entry of path.toReversed()) {
    if (!isEntry(entry, "message")) continue;
    const { message } = entry;
    if (message.role === "toolResult") answered.add(message.toolCallId);
    if (message.role !== "assistant" || !Array.isArray(message.content)) continue;
    return message.content.filter((block) => block.type === "toolCall").filter(({ id }) => !answered.has(id));
  }
  return [];
}

/** This branch must not wait for them, although the other one may. */
export function unfinishedResult(call: ToolCall, timestamp: number): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: "The conversation was branched before this tool had a result." }],
    details: { __synthetic: true, executed: false, source: "aborted" },
    isError: true,
    timestamp,
  };
}
