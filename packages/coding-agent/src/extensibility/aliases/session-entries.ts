import type { AgentMessage } from "@pintle/agent";
import { contextItems, contextMessage, isEntry } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";

/** Returns the last compaction of a list of entries. */
export function getLatestCompactionEntry(entries: readonly SessionEntry[]): SessionEntry | null {
  return entries.findLast(({ type }) => type === "compaction") ?? null;
}

interface EntriesContext {
  messages: AgentMessage[];
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
}

/**
 * Returns what a model receives for these entries: the path to `leafId`, or to the last entry. `null` means before the first
 * entry.
 */
export function buildSessionContext(entries: readonly SessionEntry[], leafId?: string | null): EntriesContext {
  const path = leafId === null ? [] : pathTo(entries, leafId);
  const level = path.findLast((entry) => isEntry(entry, "thinking_level_change"));
  const change = path.findLast((entry) => isEntry(entry, "model_change"));
  return {
    messages: contextItems(path, contextMessage).map(({ message }) => message),
    thinkingLevel: String(level?.thinkingLevel ?? "off"),
    model: change ? { provider: String(change.provider), modelId: String(change.modelId) } : null,
  };
}

function pathTo(entries: readonly SessionEntry[], leafId: string | undefined): SessionEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path = new Set<SessionEntry>();
  let next = leafId === undefined ? entries.at(-1) : byId.get(leafId);
  while (next && !path.has(next)) {
    path.add(next);
    next = next.parentId ? byId.get(next.parentId) : undefined;
  }
  return [...path].reverse();
}
