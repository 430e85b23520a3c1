import { isRecord } from "@pintle/ai";
import { CURRENT_VERSION, type SessionHeader } from "./entries.ts";
import { derivedEntryId } from "./entry-ids.ts";
import type { StoredEntry } from "./tree-repair.ts";

type Migration = (entries: StoredEntry[], header: SessionHeader) => StoredEntry[];

/** Row n converts version n+1 to the next one. */
const migrations: readonly Migration[] = [chainEntries, renameHookMessages];

export interface Migrated {
  header: SessionHeader;
  entries: StoredEntry[];
  /** The file on disk is older than what is in memory. */
  isOutdated: boolean;
}

/** Converts older files to the current version, in memory. Files of a newer version are left as they are. */
export function migrate(header: SessionHeader, entries: StoredEntry[]): Migrated {
  const version = header.version ?? 1;
  if (version >= CURRENT_VERSION) return { header, entries, isOutdated: false };
  const pending = migrations.slice(Math.max(version, 1) - 1);
  return {
    header: { ...header, version: CURRENT_VERSION },
    entries: pending.reduce((migrated, step) => step(migrated, header), entries),
    isOutdated: true,
  };
}

/** Version 1 is a plain list whose order becomes the tree. Ids derive from the position, so that every load returns the same. */
function chainEntries(entries: StoredEntry[], header: SessionHeader): StoredEntry[] {
  const ids: string[] = [];
  const taken = new Set<string>();
  for (const index of entries.keys()) {
    const id = derivedEntryId(`${header.id}:${index}`, (candidate) => taken.has(candidate));
    taken.add(id);
    ids.push(id);
  }
  return entries.map((entry, index) => {
    const chained = { ...entry, id: ids[index], parentId: ids[index - 1] ?? null };
    return entry.type === "compaction" ? nameFirstKept(chained, ids) : chained;
  });
}

/** Version 1 counts records including the header. */
function nameFirstKept(
  compaction: StoredEntry & { firstKeptEntryIndex?: unknown },
  ids: readonly string[],
): StoredEntry {
  const { firstKeptEntryIndex, ...rest } = compaction;
  if (typeof firstKeptEntryIndex !== "number") return compaction;
  const firstKeptEntryId = ids[firstKeptEntryIndex - 1];
  return { ...rest, ...(firstKeptEntryId !== undefined && { firstKeptEntryId }) };
}

function renameHookMessages(entries: StoredEntry[]): StoredEntry[] {
  return entries.map((entry) => {
    const { message } = entry as { message?: unknown };
    if (entry.type !== "message" || !isRecord(message) || message.role !== "hookMessage") return entry;
    return { ...entry, message: { ...message, role: "custom" } } as StoredEntry;
  });
}
