import { isRecord } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import { isEntry } from "./entries.ts";

/** Left over from streaming; they contain nothing that the finished block lacks. */
const TRANSIENT_BLOCK_FIELDS = ["partialJson"];
const TRANSIENT_DETAIL_FIELDS = ["jsonlEvents"];

/**
 * Returns a copy without the fields that mattered only while the entry was streamed, or the entry itself if it has none.
 * Never changes a tool's arguments, where a field of that name belongs to the model.
 */
export function withoutTransientFields(entry: SessionEntry): SessionEntry {
  if (!isEntry(entry, "message")) return entry;
  const message: Record<string, unknown> = entry.message;
  const content = Array.isArray(message.content) ? withoutInItems(message.content) : message.content;
  const details = without(message.details, TRANSIENT_DETAIL_FIELDS);
  if (content === message.content && details === message.details) return entry;
  const changed = { ...message, ...(content !== undefined && { content }), ...(details !== undefined && { details }) };
  return { ...entry, message: changed } as SessionEntry;
}

function withoutInItems(blocks: readonly unknown[]): readonly unknown[] {
  const cleaned = blocks.map((block) => without(block, TRANSIENT_BLOCK_FIELDS));
  return cleaned.every((block, index) => block === blocks[index]) ? blocks : cleaned;
}

function without(value: unknown, fields: readonly string[]): unknown {
  if (!isRecord(value) || !fields.some((field) => field in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.includes(name)));
}
