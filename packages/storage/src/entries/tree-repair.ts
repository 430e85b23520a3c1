import type { SessionEntry } from "@pintle/wire";
import { derivedEntryId } from "./entry-ids.ts";

/** An entry as read from a file: only its type is certain. */
export interface StoredEntry {
  type: string;
  id?: unknown;
  parentId?: unknown;
  timestamp?: unknown;
}

export interface RepairedTree {
  entries: SessionEntry[];
  /** Entries that got a new id because theirs was taken or missing. */
  renamed: number;
  /** Entries whose parent does not precede them in the file. */
  reattached: number;
}

/**
 * Builds a tree from the entries of a file, in memory only: every id is unique, and every parent precedes its children.
 * A path therefore contains no cycle, and an unreadable line does not cut off what came before it.
 */
export function repairTree(stored: readonly StoredEntry[]): RepairedTree {
  const entries: SessionEntry[] = [];
  /**
   * Maps the id in the file to the id here. For a repeated id the newest wins, as it did for the program that wrote the
   * next line.
   */
  const current = new Map<unknown, string>();
  /** Maps a missing parent to the new parent of its first child, which the siblings share. */
  const gaps = new Map<unknown, string | null>();
  let renamed = 0;
  let reattached = 0;
  let previous: string | null = null;

  const parentOf = ({ parentId }: StoredEntry): string | null => {
    if (parentId === null) return null;
    const known = current.get(parentId);
    if (known !== undefined) return known;
    reattached += 1;
    if (typeof parentId !== "string") return previous;
    if (!gaps.has(parentId)) gaps.set(parentId, previous);
    return gaps.get(parentId) ?? null;
  };
  for (const raw of stored) {
    const parentId = parentOf(raw);
    const isOwn = typeof raw.id === "string" && raw.id !== "" && !current.has(raw.id);
    const id = isOwn
      ? String(raw.id)
      : derivedEntryId(`${raw.id}:${entries.length}`, (candidate) => current.has(candidate));
    if (!isOwn) renamed += 1;
    previous = id;
    current.set(id, id); // entries appended later will refer to the id assigned here
    if (raw.id !== id && typeof raw.id === "string") current.set(raw.id, id);
    const isIntact = id === raw.id && parentId === raw.parentId && typeof raw.timestamp === "string";
    const repaired = isIntact ? raw : { ...raw, id, parentId, timestamp: toTimestamp(raw.timestamp) };
    entries.push(repaired as SessionEntry);
  }
  return { entries, renamed, reattached };
}

const OLDEST = "1970-01-01T00:00:00.000Z";

function toTimestamp(value: unknown): string {
  if (typeof value === "string") return value;
  const time = new Date(typeof value === "number" ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? OLDEST : time.toISOString();
}
