import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import { toContentBlock, toContentBlocks, toToolContent } from "../updates/content.ts";
import { ToolCalls } from "../updates/tool-calls.ts";

type Fields = Record<string, unknown>;

interface Replay {
  tell(update: SessionUpdate): void;
  calls: ToolCalls;
  showsCompaction: boolean;
}

/** Converts the stored conversation to the same updates that were sent live. */
export function replay(
  entries: readonly SessionEntry[],
  leafId: string | null,
  parts: { cwd: string; showsCompaction: boolean; tell(update: SessionUpdate): void },
): void {
  const calls = new ToolCalls(parts.cwd, parts.tell);
  for (const entry of pathTo(entries, leafId)) {
    const fields: Fields = { ...entry };
    if (Object.hasOwn(ENTRIES, entry.type)) ENTRIES[entry.type]!(fields, { ...parts, calls });
  }
  calls.failOpen(); // the process ended while they were running
}

/** Returns the entries from the root to the leaf. Other branches are not part of the conversation. */
function pathTo(entries: readonly SessionEntry[], leafId: string | null): SessionEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path: SessionEntry[] = [];
  for (let entry = byId.get(leafId ?? ""); entry; entry = byId.get(entry.parentId ?? "")) {
    byId.delete(entry.id); // a damaged file may contain a cycle
    path.push(entry);
  }
  return path.reverse();
}

const ENTRIES: Readonly<Record<string, (entry: Fields, replay: Replay) => void>> = {
  message({ id, message }, replay) {
    if (isRecord(message) && Object.hasOwn(ROLES, String(message.role))) {
      ROLES[String(message.role)]!(message, String(id), replay);
    }
  },
  custom_message({ id, content, display }, { tell }) {
    if (display !== true) return;
    for (const block of toContentBlocks(content)) {
      tell({ sessionUpdate: "agent_message_chunk", messageId: String(id), content: block });
    }
  },
  compaction({ id, summary }, { tell, showsCompaction }) {
    if (!showsCompaction || typeof summary !== "string") return;
    tell({
      sessionUpdate: "compaction_update",
      compactionId: String(id),
      status: "completed",
      summary: [{ type: "text", text: summary }],
    });
  },
};

const ROLES: Readonly<Record<string, (message: Fields, messageId: string, replay: Replay) => void>> = {
  user({ content, synthetic }, messageId, { tell }) {
    if (synthetic === true) return;
    for (const block of toContentBlocks(content))
      tell({ sessionUpdate: "user_message_chunk", messageId, content: block });
  },
  assistant({ content }, messageId, replay) {
    if (!Array.isArray(content)) return;
    for (const block of content) if (isRecord(block)) replayBlock(block, messageId, replay);
  },
  toolResult({ toolCallId, content, details, isError }, _id, { calls }) {
    calls.end(String(toolCallId), { content, details }, isError === true);
  },
  bashExecution({ command, output, cancelled }, messageId, { tell }) {
    tell({
      sessionUpdate: "tool_call",
      toolCallId: messageId,
      title: String(command),
      kind: "execute",
      status: cancelled === true ? "failed" : "completed",
      content: toToolContent(String(output)),
    });
  },
};

function replayBlock(block: Fields, messageId: string, { tell, calls }: Replay): void {
  const { type, thinking, id, name } = block;
  if (type === "toolCall" && typeof id === "string" && typeof name === "string") {
    calls.start(id, name, isRecord(block.arguments) ? block.arguments : {});
  } else if (type === "thinking" && typeof thinking === "string" && thinking !== "") {
    tell({ sessionUpdate: "agent_thought_chunk", messageId, content: { type: "text", text: thinking } });
  } else {
    const content = toContentBlock(block);
    if (content) tell({ sessionUpdate: "agent_message_chunk", messageId, content });
  }
}
