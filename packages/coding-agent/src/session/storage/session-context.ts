import type { AgentMessage } from "@pintle/agent";
import { estimateMessageTokens } from "@pintle/ai";
import { type EntryOf, isEntry, type SessionEntry } from "./entries.ts";
import { isRecord } from "./json-value.ts";

export interface ContextItem {
  entryId: string;
  message: AgentMessage;
}

/** Path → the messages of the conversation as the model is to see it, each with the entry it comes from. Linear. */
export function contextItems(
  path: readonly SessionEntry[],
  toMessage: (entry: SessionEntry) => AgentMessage | undefined,
): ContextItem[] {
  const pruned = prunedResults(path);
  const withdrawn = withdrawnEntries(path);
  const items: ContextItem[] = [];
  for (const entry of contextEntries(path)) {
    const isOut = entry.excludeFromContext || withdrawn.has(entry.id);
    const message = isOut ? undefined : toMessage(entry);
    if (!message) continue;
    const prunedAt = pruned.get(entry.id);
    items.push({ entryId: entry.id, message: prunedAt === undefined ? message : prune(message, prunedAt) });
  }
  return resultsInCallOrder(items);
}

/** The newest compaction that another program than its writer can use. */
export function lastCompaction(path: readonly SessionEntry[]): EntryOf<"compaction"> | undefined {
  return path.findLast(isReadableCompaction) as EntryOf<"compaction"> | undefined;
}

/** With `remote` the provider keeps the real summary and the text is a placeholder. */
function isReadableCompaction(entry: SessionEntry): boolean {
  return isEntry(entry, "compaction") && entry.method !== "remote" && entry.summary.trim() !== "";
}

/** The summary first, then what it kept, then what came after it; nothing from before the user cleared the conversation. */
function contextEntries(path: readonly SessionEntry[]): SessionEntry[] {
  const start = path.findLastIndex((entry) => entry.type === "reset_boundary") + 1;
  const compactionAt = path.findLastIndex(isReadableCompaction);
  if (compactionAt < start) return withoutCompactions(path.slice(start));
  const compaction = path[compactionAt] as EntryOf<"compaction">;
  const firstKept = path.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
  const isKept = firstKept !== -1 && firstKept < compactionAt;
  const kept = isKept ? path.slice(Math.max(firstKept, start), compactionAt) : [];
  return [compaction, ...withoutCompactions(kept), ...withoutCompactions(path.slice(compactionAt + 1))];
}

function withoutCompactions(entries: readonly SessionEntry[]): SessionEntry[] {
  return entries.filter((entry) => entry.type !== "compaction");
}

/** The overlay that takes old tool results out of the context: `data` names their entries and the time. */
export const PRUNE_TYPE = "prune";

export interface PruneData {
  ids: string[];
  prunedAt: number;
}

function prunedResults(path: readonly SessionEntry[]): Map<unknown, number> {
  const pruned = new Map<unknown, number>();
  for (const entry of path) {
    if (!isEntry(entry, "custom") || entry.customType !== PRUNE_TYPE || !isRecord(entry.data)) continue;
    const { ids, prunedAt } = entry.data;
    if (!Array.isArray(ids) || typeof prunedAt !== "number") continue;
    for (const id of ids) if (!pruned.has(id)) pruned.set(id, prunedAt);
  }
  return pruned;
}

/** The overlay that takes failed answers out of the context when the call was made again: `data` names their entries. */
export const WITHDRAW_TYPE = "withdraw";

function withdrawnEntries(path: readonly SessionEntry[]): Set<unknown> {
  return new Set(
    path.flatMap((entry) => {
      if (!isEntry(entry, "custom") || entry.customType !== WITHDRAW_TYPE || !isRecord(entry.data)) return [];
      return Array.isArray(entry.data.ids) ? entry.data.ids : [];
    }),
  );
}

function prune(message: AgentMessage, prunedAt: number): AgentMessage {
  if (message.role !== "toolResult") return message;
  const text = `[Output truncated - ${estimateMessageTokens(message)} tokens]`;
  return { ...message, content: [{ type: "text", text }], prunedAt };
}

/** Results are stored as they finish; the model gets them in the order of its calls, so that the prompt does not vary. */
function resultsInCallOrder(items: ContextItem[]): ContextItem[] {
  const ordered: ContextItem[] = [];
  let places = new Map<string, number>();
  let results: ContextItem[] = [];
  const place = ({ message }: ContextItem) =>
    message.role === "toolResult" ? (places.get(message.toolCallId) ?? Number.MAX_SAFE_INTEGER) : 0;
  const flush = () => {
    if (results.length > 1) results.sort((a, b) => place(a) - place(b));
    for (const item of results) ordered.push(item);
    results = [];
  };
  for (const item of items) {
    if (item.message.role === "toolResult") {
      results.push(item);
      continue;
    }
    flush();
    if (item.message.role === "assistant") places = callPlaces(item.message);
    ordered.push(item);
  }
  flush();
  return ordered;
}

function callPlaces({ content }: Extract<AgentMessage, { role: "assistant" }>): Map<string, number> {
  return new Map(content.flatMap((block, index) => (block.type === "toolCall" ? [[block.id, index]] : [])));
}
