import { isRecord } from "@pintle/ai";
import { isMisshapen } from "../entries/entries.ts";
import type { ListingReader } from "./listing-reader.ts";

/** Facts that need the whole file. */
export interface SessionDetails {
  /** Entries that are messages, on all branches. */
  messageCount: number;
  /** null if the name was removed. Undefined if no entry sets it. */
  name: string | null | undefined;
  /** Cost of the answers on all branches, in dollars. Undefined if no answer states its cost. */
  cost: number | undefined;
  /** Number of unreadable lines. A long line is judged by its beginning and end. */
  damagedLines: number;
}

const CHUNK_BYTES = 1 << 20;
/** Bytes of a line that are inspected: entries with a name are short, and messages are recognized by their beginning. */
const HEAD_BYTES = 16 << 10;
/** The figures of an answer follow its content. */
const TAIL_BYTES = 4 << 10;
const LINE_FEED = 0x0a;
/** The known programs put the type first; some write a space after each colon and comma. */
const ENTRY_BEGINNING = /^\{\s*"type"\s*:\s*"([a-z_]+)"/;
const ANSWER = /"message"\s*:\s*\{\s*"role"\s*:\s*"assistant"/;
const COST = /"cost"\s*:\s*\{/g;
/** Which field of an entry names the session. */
const NAME_FIELDS: Readonly<Record<string, string>> = { session_info: "name", title_change: "title" };

const NOTHING: Buffer = Buffer.alloc(0);

/** The two ends of a line; a long one is never held as a whole. */
class LineEnds {
  head: Buffer = NOTHING;
  tail: Buffer = NOTHING;

  add(piece: Buffer): void {
    const isFirst = this.tail.length === 0;
    if (this.head.length < HEAD_BYTES) this.head = join(this.head, piece.subarray(0, HEAD_BYTES));
    const end = piece.subarray(-TAIL_BYTES);
    this.tail = isFirst ? end : join(this.tail, end).subarray(-TAIL_BYTES);
  }
}

function join(one: Buffer, other: Buffer): Buffer {
  return one.length === 0 ? other : Buffer.concat([one, other]);
}

/** Scans the whole file in constant memory, without parsing messages. */
export async function readDetails(reader: ListingReader, path: string): Promise<SessionDetails> {
  const details: SessionDetails = { messageCount: 0, name: undefined, cost: undefined, damagedLines: 0 };
  /** The incomplete last line. */
  let line = new LineEnds();
  for (let size = 0; ; ) {
    const chunk = await reader.read(path, size, CHUNK_BYTES);
    size += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      line.add(chunk.subarray(start, end));
      addLine(details, line);
      line = new LineEnds();
      start = end + 1;
    }
    line.add(chunk.subarray(start));
    if (chunk.length < CHUNK_BYTES) break;
  }
  addLine(details, line);
  return details;
}

function addLine(details: SessionDetails, { head, tail }: LineEnds): void {
  const beginning = head.toString("latin1", 0, 256);
  if (isDamaged(beginning, head, tail)) {
    details.damagedLines += 1;
    return;
  }
  const type = entryType(beginning, head);
  if (type === "message") {
    details.messageCount += 1;
    const cost = ANSWER.test(beginning) ? readCost(tail) : undefined;
    if (cost !== undefined) details.cost = (details.cost ?? 0) + cost;
  }
  const field = Object.hasOwn(NAME_FIELDS, type) ? NAME_FIELDS[type] : undefined;
  if (field === undefined) return;
  const name = readText(head, field);
  if (name !== undefined) details.name = name.trim() || null;
}

/** Parses a short line whose type is not its first field. */
function entryType(beginning: string, head: Buffer): string {
  const first = ENTRY_BEGINNING.exec(beginning)?.[1];
  return first ?? (head.length < HEAD_BYTES ? parseEntry(head)?.type : undefined) ?? "";
}

/** The form that all known programs write; anything else is parsed if it is short enough. */
const MESSAGE_BEGINNING = /^\{\s*"type"\s*:\s*"message".*?"message"\s*:\s*\{\s*"role"\s*:\s*"/s;
const isBlank = (line: Buffer) => line.length < 2 && (line.length === 0 || line[0] === 0x0d);

function isDamaged(beginning: string, head: Buffer, tail: Buffer): boolean {
  if (isBlank(head)) return false;
  if (!/\}\s*$/.test(tail.toString("latin1", Math.max(0, tail.length - 16)))) return true;
  const type = ENTRY_BEGINNING.exec(beginning)?.[1];
  if (type !== undefined && (type !== "message" || MESSAGE_BEGINNING.test(beginning))) return false;
  if (head.length >= HEAD_BYTES) return false;
  const entry = parseEntry(head);
  return entry === undefined || isMisshapen(entry);
}

function parseEntry(line: Buffer): { type: string } | undefined {
  try {
    const entry: unknown = JSON.parse(line.toString("utf8").replace(/^\uFEFF/, ""));
    return isRecord(entry) && typeof entry.type === "string" ? { ...entry, type: entry.type } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Uses the last field of that name, because the content of the answer comes before it. */
function readCost(tail: Buffer): number | undefined {
  const text = tail.toString("latin1");
  const at = [...text.matchAll(COST)].at(-1)?.index;
  const total = at === undefined ? undefined : /^[^}]*"total"\s*:\s*([\d.eE+-]+)/.exec(text.slice(at))?.[1];
  const cost = Number(total ?? Number.NaN);
  return Number.isFinite(cost) ? cost : undefined;
}

/** Undefined for a damaged line. An entry without the field removes the name. */
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
