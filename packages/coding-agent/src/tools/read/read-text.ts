import { isUtf8 } from "node:buffer";
import { terminatedLines } from "@pintle/foundation";
import { stripControlCharacters } from "../shared/printable-text.ts";
import { formatBytes, type OutputLimits, type Truncation, truncateHead } from "../shared/truncate.ts";
import { LineScanner, type ScannedLines } from "./line-scanner.ts";

export interface TextRequest {
  shownPath: string;
  /** 1-based. */
  firstLine: number;
  /** Maximum number of lines that was requested. */
  lineCount: number | undefined;
  limits: OutputLimits;
  /** Bytes per page if no number of lines was requested. At least one line is shown if it is within the limits. */
  pageBytes?: number;
  /** Whether to prefix each line with its number. */
  isNumbered?: boolean;
  /** Offset of the text in the file. Undefined if the file contains the text in another form. */
  fileOffset: number | undefined;
}

export interface ShownText {
  text: string;
  truncation?: Truncation;
}

/** Returns the requested lines of UTF-8 text, followed by a note in brackets about the rest. */
export async function readText(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  request: TextRequest,
): Promise<ShownText> {
  const { firstLine, lineCount = Number.POSITIVE_INFINITY, limits } = request;
  const scanner = new LineScanner({
    firstLine,
    maxLines: Math.min(limits.maxLines, lineCount),
    maxBytes: pageLimits(request).maxBytes,
    maxFirstLineBytes: limits.maxBytes,
  });
  for await (const chunk of chunks) if (!scanner.push(chunk)) break;
  const scanned = scanner.finish();
  if (scanned.totalLines === 0 && firstLine === 1) return { text: "[The file is empty.]" };
  if (firstLine > scanned.totalLines) throw new Error(pastEndText(request, scanned.totalLines));
  return present(scanned, request);
}

function pageLimits({ limits, lineCount, pageBytes = limits.maxBytes }: TextRequest): OutputLimits {
  return lineCount === undefined ? { ...limits, maxBytes: Math.min(limits.maxBytes, pageBytes) } : limits;
}

function pastEndText({ firstLine, shownPath }: TextRequest, totalLines: number): string {
  return `offset ${firstLine} is past the end: ${shownPath} has ${totalLines} ${totalLines === 1 ? "line" : "lines"}.`;
}

function present(scanned: ScannedLines, request: TextRequest): ShownText {
  const { firstLine, limits, lineCount } = request;
  const decoded = scanned.bytes.toString("utf8").replaceAll("\r\n", "\n");
  const plain = stripControlCharacters(decoded);
  // Replacement characters take more bytes than the invalid bytes they replace.
  const head = truncateHead(request.isNumbered ? numbered(plain, firstLine) : plain, limits);
  const count = head.truncation?.outputLines ?? scanned.count;
  const stoppedBy = head.truncation ? "bytes" : scanned.stoppedBy;

  const notices: string[] = [];
  if (plain.length < decoded.length) notices.push("[Control characters are omitted.]");
  if (!isUtf8(scanned.bytes)) notices.push("[Not valid UTF-8: invalid bytes are shown as U+FFFD.]");
  if (count === 0) notices.push(longLineNotice(scanned, request));
  else if (stoppedBy !== "end") notices.push(rangeNotice(scanned, firstLine, count));

  const text = notices.length === 0 ? head.text : [head.text.replace(/\n$/, ""), "", ...notices].join("\n").trimStart();
  const isByLimits = stoppedBy === "bytes" || (stoppedBy === "lines" && count !== lineCount);
  return isByLimits
    ? { text, truncation: truncationOf(scanned, head.text, count, stoppedBy, pageLimits(request)) }
    : { text };
}

function numbered(text: string, firstLine: number): string {
  return terminatedLines(text)
    .map((line, index) => `${firstLine + index}│${line}`)
    .join("");
}

function rangeNotice({ totalLines, isTotalExact }: ScannedLines, firstLine: number, count: number): string {
  const last = firstLine + count - 1;
  const total = isTotalExact ? `${totalLines}` : `more than ${totalLines}`;
  return `[Lines ${firstLine}-${last} of ${total} are shown. Continue with offset=${last + 1}.]`;
}

function truncationOf(
  { totalLines, isTotalExact }: ScannedLines,
  text: string,
  outputLines: number,
  truncatedBy: "lines" | "bytes",
  limits: OutputLimits,
): Truncation {
  const outputBytes = Buffer.byteLength(text);
  return { truncated: true, truncatedBy, ...(isTotalExact && { totalLines }), outputLines, outputBytes, ...limits };
}

/** Explains how long a line is that does not fit, and how to get a part of it. */
function longLineNotice(scanned: ScannedLines, request: TextRequest): string {
  const { firstLine, limits } = request;
  const { bytes, isWhole } = scanned.longLine ?? firstScannedLine(scanned);
  const size = `${isWhole ? "" : "more than "}${formatBytes(bytes)}`;
  const reason = `Line ${firstLine} is ${size} long, more than the ${formatBytes(limits.maxBytes)} that fit.`;
  const command = partCommand(scanned, request);
  return command === undefined ? `[${reason}]` : `[${reason} Use bash for a part of it: ${command}]`;
}

function firstScannedLine({ bytes }: ScannedLines): { bytes: number; isWhole: boolean } {
  const newline = bytes.indexOf("\n");
  return { bytes: newline === -1 ? bytes.length : newline, isWhole: true };
}

/** Returns undefined for text that the file contains in another form. */
function partCommand({ longLine }: ScannedLines, request: TextRequest): string | undefined {
  const { firstLine, fileOffset, limits, shownPath } = request;
  if (fileOffset === undefined) return undefined;
  const file = shellWord(shownPath);
  const line = longLine ? `tail -c +${fileOffset + longLine.start + 1} ${file}` : `sed -n ${firstLine}p ${file}`;
  return `${line} | head -c ${limits.maxBytes}`;
}

function shellWord(word: string): string {
  const plain = word.startsWith("-") ? `./${word}` : word;
  return /^[\w./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
}
