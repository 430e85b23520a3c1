import type { InputContent } from "@pintle/ai";
import type { SessionEntry, SessionTreeNode, UserMessageText } from "@pintle/wire";
import { isEntry } from "./entries/entries.ts";
import type { EntryLog } from "./entries/entry-log.ts";
import { textOf } from "./entries/json-value.ts";

/** All entries as a forest. A long conversation is a deep tree: a walk must not recurse. */
export function toTree(log: EntryLog): SessionTreeNode[] {
  const roots: SessionTreeNode[] = [];
  const nodes = new Map<string, SessionTreeNode>();
  for (const entry of log.all) {
    const label = log.labels.get(entry.id);
    const node = { entry, children: [], ...(label && { label: label.label, labelTimestamp: label.timestamp }) };
    nodes.set(entry.id, node);
    const siblings = entry.parentId === null ? roots : (nodes.get(entry.parentId)?.children ?? roots);
    siblings.push(node);
  }
  return roots;
}

/** Where a conversation can be taken up differently. */
export function userMessageTexts(entries: readonly SessionEntry[]): UserMessageText[] {
  return entries.flatMap((entry) => {
    const text = userText(entry);
    return text ? [{ entryId: entry.id, text }] : [];
  });
}

/** undefined: not a message of the user. */
export function userText(entry: SessionEntry): string | undefined {
  if (!isEntry(entry, "message") || entry.message.role !== "user") return undefined;
  return contentText(entry.message.content);
}

/** A file may hold anything; what is not text has none. */
function contentText(content: InputContent): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => (block?.type === "text" ? [textOf(block.text)] : [])).join("");
}
