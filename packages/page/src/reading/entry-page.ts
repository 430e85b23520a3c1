import type { Bodies, Row, RowKind } from "../page-data.ts";
import type { Headline } from "./call-summary.ts";
import type { Durations } from "./durations.ts";
import { readMessage } from "./entry-messages.ts";
import { readSummary } from "./entry-summaries.ts";
import type { ImageTable } from "./image-table.ts";
import { boundedValue, type Fields, listOf, oneLine, textOf } from "./plain-value.ts";
import { usageRow } from "./usage-row.ts";

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

/** Entries that fit on one line. */
const LINES: Record<string, (entry: Fields) => string | undefined> = {
  model_change: (entry) => {
    const model = modelName(entry);
    const role = textOf(entry.role);
    return model && `Model: ${model}${role && role !== "default" ? ` (${role})` : ""}`;
  },
  thinking_level_change: ({ thinkingLevel }) => `Thinking: ${textOf(thinkingLevel) || "off"}`,
  session_info: ({ name }) => (textOf(name) === "" ? "Name removed" : `Name: ${textOf(name)}`),
  title_change: ({ title }) => `Title: ${textOf(title)}`,
  mode_change: ({ mode }) => `Mode: ${textOf(mode)}`,
  service_tier_change: ({ serviceTier }) => `Service tier: ${JSON.stringify(serviceTier ?? null)}`,
  label: ({ label }) => (textOf(label) === "" ? "Label removed" : `Label: ${textOf(label)}`),
  ttsr_injection: ({ injectedRules }) => `Rules injected: ${listOf(injectedRules).map(textOf).join(", ")}`,
  reset_boundary: () => "Conversation cleared",
  context_edit: ({ replacement }) =>
    replacement ? "A message was replaced for the model" : "A message was removed for the model",
  model_usage: ({ purpose, provider, model }) => modelCall(purpose, provider, model),
  usage: ({ kind, provider, model }) => modelCall(kind, provider, model),
};

function modelCall(purpose: unknown, provider: unknown, model: unknown): string {
  return `Model call${textOf(purpose) === "" ? "" : ` for ${textOf(purpose)}`}: ${textOf(provider)}/${textOf(model)}`;
}

/** Returns undefined for any other entry. */
function readChange(entry: Fields): EntryPage | undefined {
  const type = textOf(entry.type);
  const line = Object.hasOwn(LINES, type) ? LINES[type]?.(entry) : undefined;
  if (line === undefined) return undefined;
  const usage = type === "model_usage" || type === "usage" ? usageRow(entry.usage) : undefined;
  return { kind: "change", title: oneLine(line), body: null, ...(usage && { usage }) };
}

/** Some agents store it in two fields, others in one. */
function modelName({ provider, modelId, model }: Fields): string | undefined {
  if (typeof provider === "string" && typeof modelId === "string") return `${provider}/${modelId}`;
  return typeof model === "string" && /^[^/]+\/./.test(model) ? model : undefined;
}
