import type { AgentMessage, SessionEntry } from "../protocol.ts";

/** An entry that holds a message of the conversation. */
export interface MessageEntry extends SessionEntry {
  message: AgentMessage;
}

export const isMessageEntry = (entry: SessionEntry): entry is MessageEntry =>
  entry.type === "message" && "message" in entry;

/** Returns the entries up to and including the leaf, oldest known entry first. */
export function pathTo(entries: ReadonlyMap<string, SessionEntry>, leafId: string | null): SessionEntry[] {
  const path: SessionEntry[] = [];
  const seen = new Set<string>();
  for (let entry = entries.get(leafId ?? ""); entry && !seen.has(entry.id); entry = entries.get(entry.parentId ?? "")) {
    seen.add(entry.id);
    path.push(entry);
  }
  return path.reverse();
}

export function byId(entries: readonly SessionEntry[]): Map<string, SessionEntry> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}
