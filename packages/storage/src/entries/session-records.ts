import { isRecord, isTooDeep, MAX_ENTRY_NESTING } from "@pintle/ai";
import { BLOB_PREFIX } from "./blob-store.ts";
import { isMisshapen, type SessionHeader } from "./entries.ts";
import { textOf } from "./json-value.ts";
import type { StoredEntry } from "./tree-repair.ts";

/** The line that omp writes before the header and later overwrites in place. */
export interface TitleSlot {
  /** The whole line with its LF, kept byte for byte. */
  bytes: Uint8Array;
  title?: string;
}

export interface FileRecords {
  /** Undefined if the file is empty, or was cut off inside its first record. */
  header: SessionHeader | undefined;
  titleSlot: TitleSlot | undefined;
  entries: StoredEntry[];
  /** The numbers of the lines that are damaged. */
  damagedLines: number[];
  /** The numbers of the lines whose entry has a wrong shape and is therefore excluded from the conversation. */
  misshapenLines: number[];
  endsWithLineFeed: boolean;
  /** True if something looks like a reference to an image outside the file. */
  hasBlobs: boolean;
}

/** Sorts the lines of a session file into title slot, header and entries. */
export class RecordSorter {
  readonly records: FileRecords = {
    header: undefined,
    titleSlot: undefined,
    entries: [],
    damagedLines: [],
    misshapenLines: [],
    endsWithLineFeed: true,
    hasBlobs: false,
  };
  #isForeignContent = false;
  #line = 0;

  /** The first record is not a header: either this is not a session, or it must not be changed. */
  get isForeignContent(): boolean {
    return this.#isForeignContent;
  }

  /** Lines in file order; only the last may be without its LF. */
  add(bytes: Buffer, isTerminated: boolean, text = bytes.toString("utf8")): void {
    this.#line += 1;
    this.records.endsWithLineFeed = isTerminated;
    if (this.#isForeignContent || isBlank(bytes)) return;
    const record = parseRecord(text);
    if (this.records.header) this.#addEntry(bytes, text, record);
    else if (record?.type === "session") this.#addHeader(record);
    else if (record?.type === "title" && !this.records.titleSlot) this.#addTitleSlot(bytes, record);
    else if (!isTerminated && isTornBeginning(text)) this.records.damagedLines.push(this.#line);
    else this.#isForeignContent = true;
  }

  #addEntry(bytes: Buffer, text: string, record: StoredEntry | undefined): void {
    const isReadable = record !== undefined && !HEAD_TYPES.has(record.type);
    if (isReadable) this.records.entries.push(record);
    this.records.hasBlobs ||= text.includes(BLOB_PREFIX);
    if (!isReadable || !isValidText(bytes, text)) this.records.damagedLines.push(this.#line);
    else if (isMisshapen(record)) this.records.misshapenLines.push(this.#line);
  }

  #addHeader(record: StoredEntry): void {
    const header = toHeader(record);
    if (header) this.records.header = header;
    else this.#isForeignContent = true;
  }

  #addTitleSlot(bytes: Buffer, record: StoredEntry): void {
    const { title } = record as { title?: unknown };
    this.records.titleSlot = {
      bytes: Buffer.concat([bytes, Buffer.from("\n")]),
      ...(typeof title === "string" && title !== "" && { title }),
    };
  }
}

const OPTIONAL_TEXTS = ["parentSession", "title", "providerPromptCacheKey"] as const;

/** Records that may only occur at the beginning; further down they belong to another file. */
const HEAD_TYPES = new Set(["session", "title"]);
const TORN_BEGINNINGS = ['{"type":"session"', '{"type":"title"'];

/** Such a file was cut off while it was being created. It never contained an entry, so starting again overwrites nothing. */
function isTornBeginning(text: string): boolean {
  return TORN_BEGINNINGS.some((beginning) => text.startsWith(beginning) || beginning.startsWith(text));
}

/**
 * Bytes that are not UTF-8 were replaced by this character; a character that was really written encodes to the same
 * bytes.
 */
function isValidText(bytes: Buffer, text: string): boolean {
  return !text.includes("\uFFFD") || Buffer.from(text).equals(bytes);
}

function parseRecord(text: string): StoredEntry | undefined {
  try {
    const record: unknown = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    const mayBeDeep = text.length > 2 * MAX_ENTRY_NESTING; // each level has two brackets
    const isUsable =
      isRecord(record) && typeof record.type === "string" && !(mayBeDeep && isTooDeep(record, MAX_ENTRY_NESTING));
    // Only `type` has been checked, so readers must expect anything in the other fields.
    return isUsable ? (record as unknown as StoredEntry) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // reported where it is missing
    throw error;
  }
}

function toHeader(record: StoredEntry): SessionHeader | undefined {
  const fields = record as Partial<Record<keyof SessionHeader, unknown>>;
  const { id, version, timestamp, cwd } = fields;
  if (typeof id !== "string" || id === "" || !(version === undefined || typeof version === "number")) return undefined;
  const optional = OPTIONAL_TEXTS.filter((key) => fields[key] !== undefined);
  if ([timestamp, cwd, ...optional.map((key) => fields[key])].every((value) => typeof value === "string")) {
    return record as unknown as SessionHeader; // every field has been checked
  }
  const texts = Object.fromEntries(optional.map((key) => [key, textOf(fields[key])]));
  return { ...record, ...texts, timestamp: textOf(timestamp), cwd: textOf(cwd) } as SessionHeader;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length < 2 && (bytes.length === 0 || bytes[0] === 0x0d);
}
