import type { AgentMessage } from "@pintle/agent";
import { type AssistantMessage, estimateMessageTokens, isRecord } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import { type EntryOf, isEntry } from "../entries/entries.ts";
import { editedMessage } from "./context-message.ts";
import { pruneNotice } from "./prune-notice.ts";

export interface ContextItem {
  entryId: string;
  message: AgentMessage;
}

/** Builds the conversation that the model sees from a path, each message with its entry. Takes linear time. */
export function contextItems(
  path: readonly SessionEntry[],
  toMessage: (entry: SessionEntry) => AgentMessage | undefined,
): ContextItem[] {
  const marks = marksOf(path);
  const pruned = prunedResults(marks);
  const withdrawn = withdrawnEntries(marks);
  const edits = contextEdits(marks);
  const items: ContextItem[] = [];
  let lastRole: AgentMessage["role"] | undefined;
  let isInOrder = true;
  for (const entry of contextEntries(path, marks)) {
    const isOut = entry.excludeFromContext || withdrawn.has(entry.id);
    const stored = isOut ? undefined : toMessage(entry);
    const message = stored && isEdited(edits, entry) ? editedMessage(stored, edits.get(entry.id)) : stored;
    if (!message) continue;
    const prunedAt = pruned.get(entry.id);
    items.push({ entryId: entry.id, message: prunedAt === undefined ? message : prune(message, prunedAt) });
    // Two consecutive results may be out of order, and messages that arrived while a call was open precede its result.
    if (message.role === "toolResult" && lastRole !== "assistant") isInOrder = false;
    lastRole = message.role;
  }
  return isInOrder ? items : resultsInCallOrder(items);
}

/** The few entries that are not messages, so that searches for them do not scan the whole path. */
export function marksOf(path: readonly SessionEntry[]): SessionEntry[] {
  return path.filter(({ type }) => type !== "message");
}

/** Finds the newest compaction that programs other than its writer can use. */
export function lastCompaction(path: readonly SessionEntry[]): EntryOf<"compaction"> | undefined {
  return path.findLast(isReadableCompaction);
}

/** With `remote` the provider keeps the real summary and the text is a placeholder. */
function isReadableCompaction(entry: SessionEntry): entry is EntryOf<"compaction"> {
  return isEntry(entry, "compaction") && entry.method !== "remote" && entry.summary.trim() !== "";
}

/** Returns the summary, the kept messages and those after it; nothing from before the user cleared the conversation. */
function contextEntries(path: readonly SessionEntry[], marks: readonly SessionEntry[]): readonly SessionEntry[] {
  if (!marks.some(({ type }) => type === "reset_boundary" || type === "compaction")) return path;
  const start = path.findLastIndex((entry) => entry.type === "reset_boundary") + 1;
  const compaction = lastCompaction(path);
  const compactionAt = compaction ? path.lastIndexOf(compaction) : -1;
  if (!compaction || compactionAt < start) return withoutCompactions(path.slice(start));
  const firstKept = path.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
  const isKept = firstKept !== -1 && firstKept < compactionAt;
  const kept = isKept ? path.slice(Math.max(firstKept, start), compactionAt) : [];
  return [compaction, ...withoutCompactions(withCalls(kept)), ...withoutCompactions(path.slice(compactionAt + 1))];
}

/**
 * Messages during a call are stored before its result and follow it in the conversation: if they are kept, the result
 * is part of the summary.
 */
function withCalls(kept: readonly SessionEntry[]): readonly SessionEntry[] {
  const first = kept.findIndex((entry) => isEntry(entry, "message") && entry.message.role === "assistant");
  const isOrphan = (entry: SessionEntry, index: number) =>
    (first === -1 || index < first) && isEntry(entry, "message") && entry.message.role === "toolResult";
  return kept.some(isOrphan) ? kept.filter((entry, index) => !isOrphan(entry, index)) : kept;
}

function withoutCompactions(entries: readonly SessionEntry[]): SessionEntry[] {
  return entries.filter((entry) => entry.type !== "compaction");
}

/** The overlay that removes old tool results from the context: `data` names their entries and the time. */
export const PRUNE_TYPE = "prune";

export interface PruneData {
  ids: string[];
  prunedAt: number;
}

function prunedResults(marks: readonly SessionEntry[]): Map<unknown, number> {
  const pruned = new Map<unknown, number>();
  for (const entry of marks) {
    if (!isEntry(entry, "custom") || entry.customType !== PRUNE_TYPE || !isRecord(entry.data)) continue;
    const { ids, prunedAt } = entry.data;
    if (!Array.isArray(ids) || typeof prunedAt !== "number") continue;
    for (const id of ids) if (!pruned.has(id)) pruned.set(id, prunedAt);
  }
  return pruned;
}

/** The overlay that removes failed answers from the context after the call was repeated: `data` names their entries. */
export const WITHDRAW_TYPE = "withdraw";

function withdrawnEntries(marks: readonly SessionEntry[]): Set<unknown> {
  const withdrawn = new Set<unknown>();
  for (const entry of marks) {
    if (!isEntry(entry, "custom") || entry.customType !== WITHDRAW_TYPE || !isRecord(entry.data)) continue;
    const { ids } = entry.data;
    if (Array.isArray(ids)) for (const id of ids) withdrawn.add(id);
  }
  return withdrawn;
}

/** Edits by target entry; the newest wins. */
function contextEdits(marks: readonly SessionEntry[]): Map<string, unknown> {
  const edits = new Map<string, unknown>();
  for (const entry of marks) if (isEntry(entry, "context_edit")) edits.set(entry.targetId, entry.replacement);
  return edits;
}

/** A summary is not a message that can be edited. */
function isEdited(edits: ReadonlyMap<string, unknown>, { id, type }: SessionEntry): boolean {
  return edits.has(id) && (type === "message" || type === "custom_message");
}

function prune(message: AgentMessage, prunedAt: number): AgentMessage {
  if (message.role !== "toolResult") return message;
  const text = pruneNotice(estimateMessageTokens(message));
  return { ...message, content: [{ type: "text", text }], prunedAt };
}

/**
 * Results are stored as they finish; the model gets them in the order of its calls, so that the prompt does not vary.
 * Messages in between are stored where they were sent and follow the last of them.
 */
function resultsInCallOrder(items: ContextItem[]): ContextItem[] {
  const ordered: ContextItem[] = [];
  let answer: AssistantMessage | undefined;
  let results: ContextItem[] = [];
  let others: ContextItem[] = [];
  const flush = () => {
    for (const item of results.length > 1 ? sortResults(results, answer) : results) ordered.push(item);
    for (const item of others) ordered.push(item);
    results = [];
    others = [];
  };
  for (const item of items) {
    const { message } = item;
    if (message.role === "assistant") {
      flush();
      answer = message;
      ordered.push(item);
    } else if (!answer) {
      ordered.push(item); // arrived while no call was open
    } else if (message.role === "toolResult") {
      results.push(item);
    } else {
      others.push(item);
    }
  }
  flush();
  return ordered;
}

function sortResults(results: readonly ContextItem[], answer: AssistantMessage | undefined): ContextItem[] {
  const calls = answer?.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])) ?? [];
  const places = new Map(calls.map((id, index) => [id, index]));
  const place = ({ message }: ContextItem) =>
    message.role === "toolResult" ? (places.get(message.toolCallId) ?? Number.MAX_SAFE_INTEGER) : 0;
  return results.toSorted((a, b) => place(a) - place(b));
}
