/** Events of a ripgrep search in order: for each file a begin, lines and an end. */
export type SearchEvent =
  | { type: "begin"; path: string }
  | { type: "end"; isBinary: boolean }
  | FoundLines
  /** The search has ended, with or without errors about single files. */
  | { type: "summary" };

export interface FoundLines {
  type: "match" | "context";
  /** Number of the first line, because a match may span several. 0 if unknown. */
  lineNumber: number;
  raw: Buffer;
  /** Offset of the first match in `raw`. */
  matchStart: number;
  /** Whether only the beginning of the line was kept. */
  isPartial: boolean;
}

const NEWLINE = 0x0a;
/** Limits a record: a line may be as long as a file, and ripgrep adds an entry for each match in it. */
const MAX_RECORD_BYTES = 1024 * 1024;
const PARTIAL_CHARACTERS = 4096;
/** Cannot occur in a matched line, where quotes are escaped. */
const LINE_NUMBER = ',"line_number":';

interface Text {
  text?: string;
  /** Base64, used if the text is not UTF-8. */
  bytes?: string;
}

/** One line of `rg --json`. Each type has some of these fields. */
interface Message {
  type: string;
  data: {
    path?: Text;
    lines?: Text;
    line_number?: number | null;
    submatches?: { start: number }[];
    binary_offset?: number | null;
  };
}

/** Reads `rg --json` as a stream, until `take` returns false. */
export function readEvents(take: (event: SearchEvent) => boolean): (chunk: Uint8Array) => boolean {
  let lineNumber = new MarkerScan(LINE_NUMBER);
  const records = new ByteRecords({
    delimiter: NEWLINE,
    maxBytes: MAX_RECORD_BYTES,
    onLongRecord: (piece) => lineNumber.add(piece),
    take(record) {
      const event =
        record.size > MAX_RECORD_BYTES ? toPartialLines(record, lineNumber.value) : toEvent(parse(record.bytes));
      lineNumber = new MarkerScan(LINE_NUMBER);
      return event === undefined || take(event);
    },
  });
  return (chunk) => records.append(chunk);
}

function parse(bytes: Uint8Array): Message {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}

function toEvent({ type, data }: Message): SearchEvent | undefined {
  if (type === "begin") return { type, path: toBuffer(data.path).toString() };
  if (type === "end") return { type, isBinary: typeof data.binary_offset === "number" };
  if (type === "summary") return { type };
  if (type !== "match" && type !== "context") return undefined;
  return {
    type,
    lineNumber: data.line_number ?? 0,
    raw: toBuffer(data.lines),
    matchStart: data.submatches?.[0]?.start ?? 0,
    isPartial: false,
  };
}

function toBuffer({ text, bytes = "" }: Text = {}): Buffer {
  return text === undefined ? Buffer.from(bytes, "base64") : Buffer.from(text);
}

/** Parses a message that was cut off inside the matched line. */
function toPartialLines({ bytes }: ByteRecord, lineNumber: string | undefined): FoundLines | undefined {
  const head = Buffer.from(bytes.subarray(0, MAX_RECORD_BYTES)).toString();
  const found = /^\{"type":"(match|context)".*?,"lines":\{"(text|bytes)":"/.exec(head);
  if (!found) return undefined;
  const [opening, type, form] = found;
  const kept = head.slice(opening.length, opening.length + PARTIAL_CHARACTERS);
  return {
    type: type === "match" ? "match" : "context",
    lineNumber: Number.parseInt(lineNumber ?? "0", 10),
    raw: toBuffer(form === "text" ? { text: unescapeCut(kept) } : { bytes: kept }),
    matchStart: 0,
    isPartial: true,
  };
}

/** Decodes a JSON string whose end is missing, perhaps inside an escape. */
function unescapeCut(text: string): string {
  const whole = text.replace(/(?<!\\)((?:\\\\)*)\\(?:u[0-9a-f]{0,3})?$/i, "$1");
  return JSON.parse(`"${whole}"`);
}

/** A record, or the beginning of one that is too long; `size` is its full length. */
interface ByteRecord {
  bytes: Uint8Array;
  size: number;
}

interface RecordReader {
  delimiter: number;
  /** Maximum number of bytes of a record to keep. */
  maxBytes: number;
  /** Returns false to stop. The bytes are valid only during the call. */
  take(record: ByteRecord): boolean;
  /** Receives all of a record that is too long, piece by piece, before `take` receives its beginning. */
  onLongRecord?(piece: Uint8Array): void;
}

/** Splits a stream of bytes into records. Memory stays near the limit, however long a record is. */
export class ByteRecords {
  readonly #reader: RecordReader;
  #pieces: Uint8Array[] = [];
  #kept = 0;
  #size = 0;

  constructor(reader: RecordReader) {
    this.#reader = reader;
  }

  /** Returns false if the reader wants to stop. Drops a record without a final delimiter, because it was cut off. */
  append(chunk: Uint8Array): boolean {
    const { delimiter } = this.#reader;
    let start = 0;
    for (let end = chunk.indexOf(delimiter); end !== -1; end = chunk.indexOf(delimiter, start)) {
      if (!this.#end(chunk.subarray(start, end))) return false;
      start = end + 1;
    }
    // A copy, because the chunk's memory may be reused.
    if (start < chunk.length) this.#keep(new Uint8Array(chunk.subarray(start)));
    return true;
  }

  #end(last: Uint8Array): boolean {
    const { take, maxBytes } = this.#reader;
    if (this.#size === 0 && last.length <= maxBytes) return take({ bytes: last, size: last.length });
    this.#keep(last);
    const record = { bytes: Buffer.concat(this.#pieces), size: this.#size };
    this.#pieces = [];
    this.#kept = 0;
    this.#size = 0;
    return take(record);
  }

  #keep(piece: Uint8Array): void {
    const { maxBytes } = this.#reader;
    const wasLong = this.#size > maxBytes;
    this.#size += piece.length;
    if (this.#size > maxBytes) this.#handOverLong(wasLong ? [piece] : [...this.#pieces, piece]);
    const kept = piece.subarray(0, maxBytes - this.#kept);
    if (kept.length > 0) this.#pieces.push(kept);
    this.#kept += kept.length;
  }

  #handOverLong(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) this.#reader.onLongRecord?.(piece);
  }
}

const MAX_VALUE_BYTES = 24;

/** Finds a marker in a stream of bytes and keeps a few bytes after it. */
export class MarkerScan {
  readonly #marker: Buffer;
  /** The last bytes seen, or the bytes from the marker on once it was found. */
  #kept: Buffer = Buffer.alloc(0);
  #isFound = false;

  constructor(marker: string) {
    this.#marker = Buffer.from(marker);
  }

  add(piece: Uint8Array): void {
    const { length } = this.#marker;
    if (this.#isFound && this.#kept.length >= MAX_VALUE_BYTES) return;
    const seen = Buffer.concat([this.#kept, piece]);
    const at = this.#isFound ? 0 : seen.indexOf(this.#marker);
    const start = at === -1 ? Math.max(0, seen.length - length) : this.#isFound ? 0 : at + length;
    this.#isFound ||= at !== -1;
    this.#kept = Buffer.from(seen.subarray(start, this.#isFound ? start + MAX_VALUE_BYTES : undefined));
  }

  get value(): string | undefined {
    return this.#isFound ? this.#kept.toString("latin1") : undefined;
  }
}
