import type { Bodies, Row, RowKind } from "../page-data.ts";
import type { Headline } from "./call-summary.ts";
import type { Durations } from "./durations.ts";
import { readChange } from "./entry-changes.ts";
import { readMessage } from "./entry-messages.ts";
import { readSummary } from "./entry-summaries.ts";
import type { ImageTable } from "./image-table.ts";
import { boundedValue, type Fields, oneLine, textOf } from "./plain-value.ts";

/** State shared by the entries of a session while they are read. */
export interface Reading {
  images: ImageTable;
  durations: Durations;
  /** Call → its summary, which also labels the result. */
  summaries: Map<string, string>;
  /** If unset, the summary is derived from the arguments. */
  headline?: Headline;
}

/** The fields that all session entries share. */
export interface ReadableEntry {
  type: string;
  id: string;
  parentId: string | null;
  timestamp: string;
}

/** What an entry adds to the page in addition to its position in the tree. */
export type EntryPage = {
  [K in RowKind]: { kind: K; title: string; body: Bodies[K] } & Partial<Omit<Row, "kind" | "title" | "id" | "parent">>;
}[RowKind];

type Reader = (entry: Fields, reading: Reading, at: number) => EntryPage | undefined;

const READERS: Record<string, Reader> = {
  message: (entry, reading, at) => readMessage(entry.message, reading, at),
  custom_message: (entry, reading, at) => readMessage({ ...entry, role: "custom" }, reading, at),
  compaction: readSummary.compaction,
  branch_summary: readSummary.branch,
  session_init: readSummary.init,
};

/** Never fails: unknown entries are shown as data. */
export function readEntry(entry: ReadableEntry, reading: Reading, at: number): EntryPage {
  const fields: Fields = { ...entry };
  const read = Object.hasOwn(READERS, entry.type) ? READERS[entry.type] : readChange;
  return read?.(fields, reading, at) ?? asData(fields);
}

function asData({ id: _, parentId: __, timestamp: ___, ...value }: Fields): EntryPage {
  const name = textOf(value.customType) || textOf(value.type) || "entry";
  return { kind: "data", title: oneLine(name), body: { value: boundedValue(value) } };
}
