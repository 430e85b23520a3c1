import { type AgentMessage, toProviderRole } from "@pintle/agent";
import type { EntryOf } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import type { CompactionSession } from "../compaction-types.ts";
import { estimateTokens, isFailed } from "./token-estimate.ts";

/** A message that the model sees, and the entry it comes from. */
export interface ContextItem {
  entryId: string;
  message: AgentMessage;
  tokens: number;
}

export interface CompactionWindow {
  /** Everything that a summary could replace: the messages that the last compaction kept, and those since. */
  items: ContextItem[];
  /** The compaction whose summary opens the context. */
  previous?: EntryOf<"compaction">;
}

/** Returns the current context without entries that the model does not receive. */
export function readWindow(
  session: Pick<CompactionSession, "buildContext" | "entryIdOf">,
  path: readonly SessionEntry[],
): CompactionWindow {
  const { messages } = session.buildContext();
  const [first] = messages;
  const previous = first?.role === "compactionSummary" ? findCompaction(path, session.entryIdOf(first)) : undefined;
  const items: ContextItem[] = [];
  for (const message of visible(previous ? messages.slice(1) : messages)) {
    const entryId = session.entryIdOf(message);
    if (entryId !== undefined) items.push({ entryId, message, tokens: estimateTokens(message) });
  }
  return previous ? { items, previous } : { items };
}

function findCompaction(path: readonly SessionEntry[], id: string | undefined): EntryOf<"compaction"> | undefined {
  return path.findLast((entry) => entry.id === id && entry.type === "compaction") as EntryOf<"compaction"> | undefined;
}

/** Removes failed and empty aborted answers, excluded messages, and results without a call. */
function visible(messages: readonly AgentMessage[]): AgentMessage[] {
  const answeredCalls = new Set<string>();
  return messages.filter((message) => {
    if (message.role === "toolResult") return answeredCalls.has(message.toolCallId);
    if (message.role !== "assistant") return toProviderRole(message) !== undefined;
    const isSeen = !isFailed(message) && !(message.stopReason === "aborted" && isEmpty(message.content));
    for (const block of message.content) {
      if (block.type !== "toolCall") continue;
      if (isSeen) answeredCalls.add(block.id);
      else answeredCalls.delete(block.id);
    }
    return isSeen;
  });
}

function isEmpty(content: Extract<AgentMessage, { role: "assistant" }>["content"]): boolean {
  return !content.some((block) => block.type === "toolCall" || (block.type === "text" && block.text !== ""));
}
