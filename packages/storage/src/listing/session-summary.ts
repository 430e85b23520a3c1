import { withoutTurning } from "@pintle/ai";
import { EntryLog } from "../entries/entry-log.ts";
import { type FileRecords, RecordSorter } from "../entries/session-records.ts";
import { repairTree } from "../entries/tree-repair.ts";
import { userText } from "../session-tree.ts";
import type { ListingReader } from "./listing-reader.ts";

const CHUNK_BYTES = 64 << 10;
/** A file without a message in its first megabyte is assumed to have one later. */
const MAX_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** Facts from the beginning of a session file. */
export interface SessionSummary {
  path: string;
  id: string;
  cwd: string;
  createdAt: string;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
  /** As known from the beginning of the file. */
  name?: string;
  firstMessage?: string;
  parentSession?: string;
  hasMessages: boolean;
}

/** Reads no more than necessary, and never more than a megabyte. Returns undefined if it is not a session. */
export async function readSummary(
  reader: ListingReader,
  path: string,
  modifiedAt: number,
): Promise<SessionSummary | undefined> {
  const sorter = new RecordSorter();
  let rest: Buffer = Buffer.alloc(0);
  let size = 0;
  let hasMessages = false;
  while (!hasMessages && !sorter.isForeignContent) {
    const chunk = await reader.read(path, size, CHUNK_BYTES);
    size += chunk.length;
    rest = addLines(sorter, Buffer.concat([rest, chunk]));
    hasMessages = sorter.records.entries.some(({ type }) => MESSAGE_TYPES.has(type)) || beginsMessage(rest);
    if (chunk.length < CHUNK_BYTES) break;
    hasMessages ||= size >= MAX_BYTES;
  }
  return toSummary(sorter.records, { path, modifiedAt, hasMessages });
}

/** Returns the beginning of the line that is not complete. */
function addLines(sorter: RecordSorter, bytes: Buffer): Buffer {
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
    sorter.add(bytes.subarray(start, end), true);
    start = end + 1;
  }
  return bytes.subarray(start);
}

const MESSAGE_TYPES = new Set(["message", "custom_message"]);
const MESSAGE_BEGINNING = /^\{\s*"type"\s*:\s*"(custom_)?message"/;

/** The first message may be longer than what is read of the file. */
function beginsMessage(line: Buffer): boolean {
  return MESSAGE_BEGINNING.test(line.subarray(0, 32).toString("latin1"));
}

type Facts = Pick<SessionSummary, "path" | "modifiedAt" | "hasMessages">;

function toSummary({ header, titleSlot, entries }: FileRecords, facts: Facts): SessionSummary | undefined {
  if (!header) return undefined;
  const log = new EntryLog(repairTree(entries).entries);
  const name = log.name === undefined ? (titleSlot?.title ?? header.title) : log.name;
  const firstMessage = log.all.map(userText).find((text) => text);
  return {
    ...facts,
    id: header.id,
    cwd: header.cwd,
    createdAt: header.timestamp,
    ...(name && { name: withoutTurning(name) }),
    ...(firstMessage && { firstMessage }),
    ...(header.parentSession !== undefined && { parentSession: header.parentSession }),
  };
}
