import type { SessionEntry } from "@pintle/client/core";
import type { Body, Row } from "../../page-data.ts";
import { Durations, ImageTable, outOfContext, type Reading, readEntry } from "../../reading/index.ts";

type Change = (row: Row) => Row;

/**
 * The entries of a session as rows. The index of a row is that of its entry in the session. In a long session, the first
 * ones are loaded later, from newest to oldest, on demand.
 */
export class SessionRows {
  readonly rows: Row[] = [];
  readonly bodies: Body[] = [];
  readonly #changed: (place: number) => void;
  readonly #places = new Map<string, number>();
  readonly #reading: Reading = { images: new ImageTable("later"), durations: new Durations(), summaries: new Map() };
  #first = 0;
  /** Maps an entry that is not loaded yet to the rows after it. */
  readonly #awaited = new Map<string, number[]>();
  readonly #loose = new Set<number>();
  /** Maps an entry that is not loaded yet to what later ones say about it, in order. */
  readonly #remarks = new Map<string, Change[]>();
  /** Results whose calls are not loaded yet: their description depends on the call. */
  #apart: { place: number; entry: SessionEntry }[] = [];

  constructor(changed: (place: number) => void) {
    this.#changed = changed;
  }

  /** Number of entries that are not loaded yet. */
  get first(): number {
    return this.#first;
  }

  get images(): readonly string[] {
    return this.#reading.images.images;
  }

  find(id: string): number | undefined {
    return this.#places.get(id);
  }

  /** The entries before it are not loaded yet. */
  isLoose(place: number): boolean {
    return this.#loose.has(place) && this.#first > 0;
  }

  /**
   * Sets the index at which the entries that end the session begin. Returns false if no row was known, or if the known
   * rows do not match and are dropped.
   */
  begin(first: number, entries: readonly SessionEntry[]): boolean {
    const known = this.rows.length;
    const [entry] = entries;
    const isNext = first === known || (first < known && entry !== undefined && this.find(entry.id) === first);
    if (known > 0 && isNext && first + entries.length >= known) return true;
    this.#forget();
    this.#first = first;
    this.rows.length = first;
    this.bodies.length = first;
    return false;
  }

  append(entry: SessionEntry): void {
    if (this.#places.has(entry.id)) return;
    this.#put(this.rows.length, entry);
    for (const [id, change] of remarksOf(entry)) this.#remark(id, change);
  }

  /** Adds earlier entries. Returns false if they do not match the loaded ones. */
  prepend(first: number, entries: readonly SessionEntry[]): boolean {
    if (first + entries.length !== this.#first || entries.length === 0) return false;
    const said = new Map<string, Change[]>();
    for (const [at, entry] of entries.entries()) {
      this.#put(first + at, entry);
      for (const [id, change] of remarksOf(entry)) said.set(id, [...(said.get(id) ?? []), change]);
    }
    this.#first = first;
    for (const [id, changes] of said) this.#remarks.set(id, [...changes, ...(this.#remarks.get(id) ?? [])]);
    for (const { id } of entries) this.#settle(id);
    this.#readAgain();
    return true;
  }

  #put(place: number, entry: SessionEntry): void {
    const { row, body } = this.#read(entry);
    this.#places.set(entry.id, place);
    this.bodies[place] = body;
    this.rows[place] = { ...row, parent: this.#parentOf(entry, place) };
    if (row.call !== undefined && !this.#reading.summaries.has(row.call)) this.#apart.push({ place, entry });
  }

  #read(entry: SessionEntry): { row: Omit<Row, "parent">; body: Body } {
    const time = Date.parse(entry.timestamp);
    const at = Number.isNaN(time) ? 0 : time;
    const { body, ...page } = readEntry(entry, this.#reading, at);
    const out = entry.excludeFromContext ? "excluded" : page.out;
    return { body, row: { ...page, id: entry.id, at, size: sizeOf(entry), ...(out && { out }) } };
  }

  /** Parents precede their children, so every path ends. */
  #parentOf({ parentId }: SessionEntry, place: number): number {
    if (parentId === null) return -1;
    const parent = this.find(parentId);
    if (parent !== undefined) return parent < place ? parent : -1;
    this.#awaited.set(parentId, [...(this.#awaited.get(parentId) ?? []), place]);
    this.#loose.add(place);
    return -1;
  }

  /** Applies what was waiting for this entry. */
  #settle(id: string): void {
    const parent = this.find(id) ?? -1;
    for (const place of this.#awaited.get(id) ?? []) {
      this.rows[place] = { ...(this.rows[place] as Row), parent };
      this.#loose.delete(place);
    }
    this.#awaited.delete(id);
    for (const change of this.#remarks.get(id) ?? []) this.rows[parent] = change(this.rows[parent] as Row);
    this.#remarks.delete(id);
  }

  #remark(id: string, change: Change): void {
    const place = this.find(id);
    if (place === undefined) this.#remarks.set(id, [...(this.#remarks.get(id) ?? []), change]);
    else {
      this.rows[place] = change(this.rows[place] as Row);
      this.#changed(place);
    }
  }

  #readAgain(): void {
    const isKnown = ({ place }: { place: number }) => this.#reading.summaries.has(this.rows[place]?.call ?? "");
    for (const { place, entry } of this.#apart.filter(isKnown)) {
      const { row, body } = this.#read(entry);
      this.rows[place] = { ...(this.rows[place] as Row), ...row };
      this.bodies[place] = body;
    }
    this.#apart = this.#apart.filter((result) => !isKnown(result));
  }

  #forget(): void {
    this.rows.length = 0;
    this.bodies.length = 0;
    this.#apart = [];
    for (const collection of [this.#places, this.#awaited, this.#loose, this.#remarks]) collection.clear();
  }
}

/** What an entry says about others. */
function remarksOf(entry: SessionEntry): [string, Change][] {
  const remarks: [string, Change][] = [];
  for (const [id, out] of outOfContext(entry)) remarks.push([id, (row) => ({ ...row, out })]);
  if (entry.type === "label") {
    const { targetId, label } = entry as SessionEntry & { targetId?: unknown; label?: unknown };
    remarks.push([
      String(targetId),
      ({ label: _old, ...row }) => (typeof label === "string" && label !== "" ? { ...row, label } : row),
    ]);
  }
  return remarks;
}

/** About as many characters as will be shown: a first guess at the height. */
function sizeOf(entry: SessionEntry): number {
  const { message, content, summary } = entry as SessionEntry & Record<"message" | "content" | "summary", unknown>;
  const shown = (message as { content?: unknown } | undefined)?.content ?? content ?? summary ?? "";
  if (typeof shown === "string") return shown.length;
  if (!Array.isArray(shown)) return 100;
  return shown.reduce<number>((sum, block: { text?: unknown }) => {
    return sum + (typeof block?.text === "string" ? block.text.length : 200);
  }, 0);
}
