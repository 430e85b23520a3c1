import { isUtf8 } from "node:buffer";
import { terminatedLines } from "../../text/terminated-lines.ts";
import { stripControlCharacters } from "../shared/control-characters.ts";
import { type OutputLimits, type Truncation, truncateHead } from "../shared/truncate.ts";
import { LineScanner, type ScannedLines } from "./line-scanner.ts";
import { longLineNotice } from "./long-line.ts";

export interface TextRequest {
  shownPath: string;
  /** 1-based. */
  firstLine: number;
  /** Most lines that were asked for. */
  lineCount: number | undefined;
  limits: OutputLimits;
  /** How much is shown at once when no number of lines was asked for; at least one line, if that is within the limits. */
  pageBytes?: number;
  /** Each line begins with its number. */
  isNumbered?: boolean;
  /** Where the text begins in the file; undefined when it is not in the file like this. */
  fileOffset: number | undefined;
}

export interface ShownText {
  text: string;
  truncation?: Truncation;
}

/** The asked-for lines of a text in UTF-8 and, in brackets behind them, what is to be known about the rest. */
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
  // Broken characters take more room as replacement characters than they did as bytes.
  const head = truncateHead(request.isNumbered ? numbered(plain, firstLine) : plain, limits);
  const count = head.truncation?.outputLines ?? scanned.count;
  const stoppedBy = head.truncation ? "bytes" : scanned.stoppedBy;

  const notices: string[] = [];
  if (plain.length < decoded.length) notices.push("[Control characters are left out.]");
  if (!isUtf8(scanned.bytes)) notices.push("[Not valid UTF-8: broken bytes are shown as U+FFFD.]");
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
