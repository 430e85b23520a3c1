import { isRecord } from "@pintle/ai";
import type { ListingReader } from "./listing-reader.ts";

/** What only the whole file tells. */
export interface SessionDetails {
  /** Entries that are messages, on all branches. */
  messageCount: number;
  /** null: the name was taken away. undefined: no entry says anything about it. */
  name: string | null | undefined;
}

const CHUNK_BYTES = 1 << 20;
/** As much of a line as is looked at: entries with a name are short, and messages are counted by their beginning. */
const HEAD_BYTES = 16 << 10;
const LINE_FEED = 0x0a;
/** Every program that writes session files puts the type first. */
const ENTRY_BEGINNING = /^\{"type":"([a-z_]+)"/;
/** Which field of an entry names the session. */
const NAME_FIELDS: Readonly<Record<string, string>> = { session_info: "name", title_change: "title" };

/** Goes through the whole file without parsing its messages, in a memory that does not depend on its size. */
export async function readDetails(reader: ListingReader, path: string): Promise<SessionDetails> {
  const details: SessionDetails = { messageCount: 0, name: undefined };
  /** Of the line whose end has not come yet. */
  let head: Buffer = Buffer.alloc(0);
  for (let size = 0; ; ) {
    const chunk = await reader.read(path, size, CHUNK_BYTES);
    size += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const line = chunk.subarray(start, Math.min(end, start + HEAD_BYTES));
      addLine(details, head.length === 0 ? line : Buffer.concat([head, line]));
      head = Buffer.alloc(0);
      start = end + 1;
    }
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(start, start + HEAD_BYTES)]);
    if (chunk.length < CHUNK_BYTES) break;
  }
  if (head.length > 0) addLine(details, head);
  return details;
}

function addLine(details: SessionDetails, line: Buffer): void {
  const type = ENTRY_BEGINNING.exec(line.toString("latin1", 0, 40))?.[1] ?? "";
  if (type === "message") details.messageCount += 1;
  const field = Object.hasOwn(NAME_FIELDS, type) ? NAME_FIELDS[type] : undefined;
  if (field === undefined) return;
  const name = readText(line, field);
  if (name !== undefined) details.name = name.trim() || null;
}

/** undefined: a line that is damaged. An entry without the field takes the name away. */
function readText(line: Buffer, field: string): string | undefined {
  try {
    const entry: unknown = JSON.parse(line.toString("utf8"));
    const value = isRecord(entry) ? entry[field] : undefined;
    return typeof value === "string" ? value : "";
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
