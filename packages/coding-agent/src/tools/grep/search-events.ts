import { type ByteRecord, ByteRecords } from "../search/byte-records.ts";
import { MarkerScan } from "../search/marker-scan.ts";

/** What ripgrep reports while it searches, in its order: per file a begin, lines, an end. */
export type SearchEvent =
  | { type: "begin"; path: string }
  | { type: "end"; isBinary: boolean }
  | FoundLines
  /** The search has come to its end, with or without complaints about single files. */
  | { type: "summary" };

export interface FoundLines {
  type: "match" | "context";
  /** Of the first line; a match may span several. 0: unknown. */
  lineNumber: number;
  raw: Buffer;
  /** Where in `raw` the first match begins. */
  matchStart: number;
  /** Only the beginning of the line could be kept. */
  isPartial: boolean;
}

const NEWLINE = 0x0a;
/** Lines may be as long as files, and ripgrep adds a note for each match in one. */
const MAX_RECORD_BYTES = 1024 * 1024;
const PARTIAL_CHARACTERS = 4096;
/** Cannot be in a line that was found: there its quotes are escaped. */
const LINE_NUMBER = ',"line_number":';

interface Text {
  text?: string;
  /** In base64, when it is not UTF-8. */
  bytes?: string;
}

/** One line of `rg --json`; of these fields each type has some. */
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

/** Reads `rg --json` as it comes. `take` returns false when it has enough. */
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

/** A message that was cut off in the middle of the line it brings. */
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

/** The text of a JSON string whose end is missing, perhaps in the middle of an escape. */
function unescapeCut(text: string): string {
  const whole = text.replace(/(?<!\\)((?:\\\\)*)\\(?:u[0-9a-f]{0,3})?$/i, "$1");
  return JSON.parse(`"${whole}"`);
}
