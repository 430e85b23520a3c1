import { isRecord } from "@pintle/ai";
import { isMisshapen } from "../entries/entries.ts";
import type { ListingReader } from "./listing-reader.ts";

/** What only the whole file tells. */
export interface SessionDetails {
  /** Entries that are messages, on all branches. */
  messageCount: number;
  /** null: the name was taken away. undefined: no entry says anything about it. */
  name: string | null | undefined;
  /** Of the answers on all branches, in dollars. undefined: none says what it cost. */
  cost: number | undefined;
  /** Lines that no entry can be read from. A long line is judged by its two ends. */
  damagedLines: number;
}

const CHUNK_BYTES = 1 << 20;
/** As much of a line as is looked at: entries with a name are short, and messages are counted by their beginning. */
const HEAD_BYTES = 16 << 10;
/** The figures of an answer stand behind its content. */
const TAIL_BYTES = 4 << 10;
const LINE_FEED = 0x0a;
/** Every program that writes session files puts the type first. */
const ENTRY_BEGINNING = /^\{"type":"([a-z_]+)"/;
const ANSWER = /"message":\{"role":"assistant"/;
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

/** Goes through the whole file without parsing its messages, in a memory that does not depend on its size. */
export async function readDetails(reader: ListingReader, path: string): Promise<SessionDetails> {
  const details: SessionDetails = { messageCount: 0, name: undefined, cost: undefined, damagedLines: 0 };
  /** Of the line whose end has not come yet. */
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
  const type = ENTRY_BEGINNING.exec(beginning)?.[1] ?? "";
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

/** The form in which all known programs write; anything else is parsed, if it is short enough. */
const MESSAGE_BEGINNING = /^\{"type":"message".*?"message":\{"role":"/s;
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

/** The last of that name: what the answer says, arguments of its tool calls too, comes before. */
function readCost(tail: Buffer): number | undefined {
  const at = tail.lastIndexOf('"cost":{');
  const total = at === -1 ? undefined : /^[^}]*"total":([\d.eE+-]+)/.exec(tail.toString("latin1", at))?.[1];
  const cost = Number(total ?? Number.NaN);
  return Number.isFinite(cost) ? cost : undefined;
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
