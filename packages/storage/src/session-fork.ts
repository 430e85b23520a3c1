import type { ToolCall, ToolResultMessage } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import { isEntry } from "./entries/entries.ts";
import { createHeader, type SessionEnvironment } from "./file/session-environment.ts";
import { SessionJournal } from "./file/session-journal.ts";

/**
 * Returns the entries of a new session that begins with this path: the path itself, results for calls that were still
 * running, labels of the kept entries from elsewhere in the file, and the name.
 */
export function copyPath(
  environment: SessionEnvironment,
  source: SessionJournal,
  path: readonly SessionEntry[],
  name: string | undefined,
): SessionEntry[] {
  const header = createHeader(environment, { cwd: source.header.cwd });
  const copy = new SessionJournal(environment, { header, entries: path });
  for (const call of openCalls(path)) copy.append("message", { message: unfinishedResult(call, environment.now()) });
  for (const [targetId, { label, timestamp }] of source.log.labels) {
    if (!copy.log.has(targetId) || copy.log.labels.get(targetId)?.label === label) continue;
    copy.append("label", { targetId, label }, { timestamp: Date.parse(timestamp) });
  }
  for (const targetId of [...copy.log.labels.keys()]) {
    if (!source.log.labels.has(targetId)) copy.append("label", { targetId });
  }
  if (name !== undefined && copy.log.name !== name) copy.append("session_info", { name });
  return [...copy.log.all];
}

/** Returns the calls of the last answer that have no result on this path, because it was cut in the middle of a turn. */
function openCalls(path: readonly SessionEntry[]): ToolCall[] {
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
function unfinishedResult(call: ToolCall, timestamp: number): ToolResultMessage {
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
