import { toPlainText } from "@pintle/exec";
import { cutToBytes } from "@pintle/foundation";
import type { OutputLimits } from "../shared/truncate.ts";
import type { Page } from "./ripgrep-arguments.ts";
import type { FoundLines, SearchEvent } from "./search-events.ts";

export interface CollectorOptions {
  page: Page;
  limits: OutputLimits;
  selects(path: string): boolean;
  /** The displayed path. */
  show(path: string): string;
}

export interface FileMatches {
  path: string;
  lines: string[];
}

export interface Collected {
  files: FileMatches[];
  /** Number of matches in them. */
  matches: number;
  /** Number of matches skipped because of the page's offset. */
  skipped: number;
  lines: number;
  bytes: number;
  /** The limit that ended the search; undefined if everything was searched. */
  cut: "matches" | "lines" | "bytes" | undefined;
  hasLongLines: boolean;
  /** Whether a binary file matched; such matches are not shown. */
  hasBinary: boolean;
  /** Whether ripgrep searched. If false and nothing was cut, it refused to search. */
  isComplete: boolean;
}

interface OpenFile extends FileMatches {
  shownPath: string;
  /** The counts before this file. */
  before: Pick<Collected, "matches" | "lines" | "bytes">;
  /** Number of the last line shown. */
  lastLine: number;
  /** Last line of the context after the previous match. */
  contextEnd: number;
  /** Held-back lines that become context of the next match, if it is near. */
  ahead: FoundLines[];
}

const MAX_LINES_PER_MATCH = 50;
const GROUP_SEPARATOR = "--";

/** Formats what ripgrep finds until the page is full or the output is too long. */
export class MatchCollector {
  readonly collected: Collected = {
    files: [],
    matches: 0,
    skipped: 0,
    lines: 0,
    bytes: 0,
    cut: undefined,
    hasLongLines: false,
    hasBinary: false,
    isComplete: false,
  };
  readonly #options: CollectorOptions;
  #file: OpenFile | undefined;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Returns false once the page is full. */
  take(event: SearchEvent): boolean {
    if (event.type === "summary") this.collected.isComplete = true;
    else if (event.type === "begin") this.#begin(event.path);
    else if (event.type === "end") this.#end(event.isBinary);
    else if (this.#file) this.#takeLines(this.#file, event);
    if (this.collected.cut) this.#end(false);
    return this.collected.cut === undefined;
  }

  #begin(path: string): void {
    const { selects, show } = this.#options;
    if (!selects(path)) return;
    const { matches, lines, bytes } = this.collected;
    this.#file = {
      path,
      lines: [],
      shownPath: show(path),
      before: { matches, lines, bytes },
      lastLine: Number.NEGATIVE_INFINITY,
      contextEnd: Number.NEGATIVE_INFINITY,
      ahead: [],
    };
  }

  #end(isBinary: boolean): void {
    const file = this.#file;
    this.#file = undefined;
    if (!file || file.lines.length === 0) return;
    if (!isBinary) {
      this.collected.files.push({ path: file.path, lines: file.lines });
      return;
    }
    // ripgrep detects a binary file only at the first binary byte.
    Object.assign(this.collected, file.before);
    this.collected.hasBinary = true;
  }

  #takeLines(file: OpenFile, found: FoundLines): void {
    const { collected } = this;
    const { context, limit, offset } = this.#options.page;
    if (found.type === "context") {
      if (found.lineNumber <= file.contextEnd) this.#show(file, found);
      else file.ahead = [...file.ahead, found].slice(-context);
    } else if (collected.skipped < offset) {
      collected.skipped += 1;
    } else if (collected.matches === limit) {
      collected.cut = "matches";
    } else {
      for (const line of file.ahead) if (line.lineNumber >= found.lineNumber - context) this.#show(file, line);
      file.ahead = [];
      if (this.#show(file, found)) collected.matches += 1;
      file.contextEnd = file.lastLine + context;
    }
  }

  /** Returns false if not even the first line fits. */
  #show(file: OpenFile, found: FoundLines): boolean {
    const lines = splitLines(found.raw);
    const mark = found.type === "match" ? ":" : "-";
    const place = (index: number) => `${file.shownPath}${mark}${found.lineNumber + index}${mark}`;
    const isApart = file.lines.length > 0 && found.lineNumber > file.lastLine + 1;
    if (this.#options.page.context > 0 && isApart) this.#push(file, GROUP_SEPARATOR);
    const shown = lines.slice(0, MAX_LINES_PER_MATCH).map((raw, index) => {
      const { text, isCut } = showLine(raw, index === 0 ? found.matchStart : 0);
      this.collected.hasLongLines ||= isCut || found.isPartial;
      return this.#push(file, `${place(index)} ${text}`);
    });
    const more = lines.length - MAX_LINES_PER_MATCH;
    if (more > 0) this.#push(file, `${place(MAX_LINES_PER_MATCH)} … (${more} more lines of this match)`);
    file.lastLine = found.lineNumber + lines.length - 1;
    return shown[0] === true;
  }

  #push(file: OpenFile, line: string): boolean {
    const { collected } = this;
    const { maxLines, maxBytes } = this.#options.limits;
    // The first line is always shown; otherwise the next page would begin at the same place.
    const text = collected.lines === 0 ? cutToBytes(line, maxBytes - 1) : line;
    const bytes = Buffer.byteLength(text) + 1;
    if (collected.lines + 1 > maxLines) collected.cut ??= "lines";
    else if (collected.bytes + bytes > maxBytes) collected.cut ??= "bytes";
    if (collected.cut) return false;
    file.lines.push(text);
    collected.lines += 1;
    collected.bytes += bytes;
    return true;
  }
}

export const MAX_LINE_CHARACTERS = 500;
/** Number of characters shown before a match that is far to the right. */
const LEAD_CHARACTERS = 100;
const CUT = "…";

interface ShownLine {
  text: string;
  isCut: boolean;
}

/** Formats a line: without control characters, and only the part around the match if it is long. */
export function showLine(raw: Buffer, matchStart: number): ShownLine {
  const { part, isCut } = partAround(raw, matchStart);
  return { text: toPlainText(Buffer.from(part), { hasStart: true, hasEnd: true }).trimEnd(), isCut };
}

function partAround(raw: Buffer, matchStart: number): { part: string; isCut: boolean } {
  const line = raw.toString();
  if (line.length <= MAX_LINE_CHARACTERS) return { part: line, isCut: false };
  const match = raw.toString("utf8", 0, matchStart).length;
  const isNearStart = match + LEAD_CHARACTERS <= MAX_LINE_CHARACTERS;
  const wanted = isNearStart ? 0 : Math.min(match - LEAD_CHARACTERS, line.length - MAX_LINE_CHARACTERS);
  const start = isLowSurrogate(line, wanted) ? wanted + 1 : wanted;
  const limit = start + MAX_LINE_CHARACTERS;
  const end = isLowSurrogate(line, limit) ? limit - 1 : limit;
  const part = `${start > 0 ? CUT : ""}${line.slice(start, end)}${end < line.length ? CUT : ""}`;
  return { part, isCut: true };
}

/** Avoids a cut inside a surrogate pair. */
function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

const NEWLINE = 0x0a;

/** Splits text into lines. The last one may lack its newline, and empty text is one empty line. */
export function splitLines(raw: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < raw.length || lines.length === 0; ) {
    const newline = raw.indexOf(NEWLINE, start);
    const end = newline === -1 ? raw.length : newline;
    lines.push(raw.subarray(start, end));
    start = end + 1;
  }
  return lines;
}
