import type { SessionEntry } from "@pintle/wire";
import { SessionError } from "../session-error.ts";
import { isEntry } from "./entries.ts";

export interface Label {
  label: string;
  /** When it was set. */
  timestamp: string;
}

/**
 * All entries of a session in file order, with indexes: the position of each
 * entry, the name and the labels. Adding an entry takes constant time.
 */
export class EntryLog {
  readonly #entries: SessionEntry[] = [];
  readonly #positions = new Map<string, number>();
  readonly #labels = new Map<string, Label>();
  #name: string | null | undefined;

  constructor(entries: Iterable<SessionEntry> = []) {
    for (const entry of entries) this.add(entry);
  }

  /** The parent must already exist, and the id must be new. */
  add(entry: SessionEntry): void {
    this.#positions.set(entry.id, this.#entries.length);
    this.#entries.push(entry);
    const name = nameIn(entry);
    if (name !== undefined) this.#name = name;
    else if (isEntry(entry, "label")) this.#setLabel(entry.targetId, entry.label, entry.timestamp);
  }

  get all(): readonly SessionEntry[] {
    return this.#entries;
  }

  /** null if the name was removed. Undefined if no entry sets it. */
  get name(): string | null | undefined {
    return this.#name;
  }

  /** The name when that entry was added, with the same values. */
  nameBefore(id: string): string | null | undefined {
    const entries = this.#entries.slice(0, this.#positions.get(id));
    return entries.map(nameIn).findLast((name) => name !== undefined);
  }

  get labels(): ReadonlyMap<string, Label> {
    return this.#labels;
  }

  has(id: string): boolean {
    return this.#positions.has(id);
  }

  find(id: string): SessionEntry | undefined {
    const position = this.#positions.get(id);
    return position === undefined ? undefined : this.#entries[position];
  }

  get(id: string): SessionEntry {
    const entry = this.find(id);
    if (!entry) throw new SessionError("not_found", `Entry not found: ${id}`);
    return entry;
  }

  /** Number of entries before that one. */
  position(id: string): number {
    const position = this.#positions.get(id);
    if (position === undefined) throw new SessionError("not_found", `Entry not found: ${id}`);
    return position;
  }

  /** All entries after that one, on every branch. */
  since(id: string): SessionEntry[] {
    return this.#entries.slice(this.position(id) + 1);
  }

  /**
   * Returns the path from the first entry of the conversation to this one. Parents precede their children, so the walk
   * ends.
   */
  pathTo(leafId: string | null): SessionEntry[] {
    const path: SessionEntry[] = [];
    let position = leafId === null ? undefined : this.#positions.get(leafId);
    while (position !== undefined) {
      const entry = this.#entries[position]!;
      path.push(entry);
      position = this.#parentPosition(entry, position);
    }
    return path.reverse();
  }

  /** Nearly always the entry before. */
  #parentPosition({ parentId }: SessionEntry, position: number): number | undefined {
    if (parentId === null) return undefined;
    return this.#entries[position - 1]?.id === parentId ? position - 1 : this.#positions.get(parentId);
  }

  #setLabel(targetId: string, label: string | null | undefined, timestamp: string): void {
    if (label) this.#labels.set(targetId, { label, timestamp });
    else this.#labels.delete(targetId);
  }
}

/** Returns the session name that an entry sets, or undefined. */
function nameIn(entry: SessionEntry): string | null | undefined {
  if (isEntry(entry, "session_info")) return entry.name?.trim() || null;
  return isEntry(entry, "title_change") ? entry.title.trim() || null : undefined;
}
