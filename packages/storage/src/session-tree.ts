import type { InputContent } from "@pintle/ai";
import type { SessionEntry, SessionTreeNode, UserMessageText } from "@pintle/wire";
import { isEntry } from "./entries/entries.ts";
import type { EntryLog } from "./entries/entry-log.ts";
import { textOf } from "./entries/json-value.ts";

/** Returns all entries as a forest. A long conversation is a deep tree, so this must not recurse. */
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

/** Returns the user messages that have text, from which a conversation can branch. */
export function userMessageTexts(entries: readonly SessionEntry[]): UserMessageText[] {
  return entries.flatMap((entry) => {
    const text = userText(entry);
    return text ? [{ entryId: entry.id, text }] : [];
  });
}

/** Undefined if it is not a user message. */
export function userText(entry: SessionEntry): string | undefined {
  if (!isEntry(entry, "message") || entry.message.role !== "user") return undefined;
  return contentText(entry.message.content);
}

/** Returns an empty string for content that is not text, because a file may contain anything. */
function contentText(content: InputContent): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => (block?.type === "text" ? [textOf(block.text)] : [])).join("");
}
