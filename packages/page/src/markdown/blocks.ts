import { type Inline, parseInline } from "./inline.ts";
import { readTable, type Table } from "./table.ts";

export type MarkdownBlock =
  | { type: "heading"; level: number; content: Inline[] }
  | { type: "paragraph"; content: Inline[] }
  | { type: "code"; language: string; text: string }
  | { type: "quote"; children: MarkdownBlock[] }
  | { type: "list"; start: number | undefined; items: ListItem[] }
  | Table
  | { type: "rule" };

export interface ListItem {
  /** Of a task. */
  isDone?: boolean;
  children: MarkdownBlock[];
}

/** Deeper quotes and lists are shown as they are written. */
const DEEPEST = 10;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( +)(.*)|)$/;
/** Under a paragraph it makes a heading of it. */
const UNDERLINE = /^ {0,3}(=+|-+) *$/;
const QUOTE = /^ {0,3}> ?/;

export function parseMarkdown(text: string): MarkdownBlock[] {
  return parseLines(markdownLines(text), 0);
}

export function markdownLines(text: string): string[] {
  return text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n");
}

/** Texts of people: everything stays as it is written, except that code in fences is code. */
export function parsePlain(text: string): MarkdownBlock[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks: MarkdownBlock[] = [];
  let plain: string[] = [];
  const flush = () => {
    const content = plain.join("\n").replace(/^\n+|\s+$/g, "");
    if (content !== "") blocks.push({ type: "paragraph", content: parseInline(content, { isPlain: true }) });
    plain = [];
  };
  for (let at = 0; at < lines.length; ) {
    const fence = readFence(lines, at);
    if (!fence) {
      plain.push(lines[at++] as string);
      continue;
    }
    flush();
    blocks.push(fence.block);
    at = fence.end;
  }
  flush();
  return blocks;
}

interface Read {
  block: MarkdownBlock;
  /** The line behind it. */
  end: number;
}
type Reader = (lines: readonly string[], at: number, depth: number) => Read | undefined;

const READERS: readonly Reader[] = [readFence, readHeading, readRule, readQuote, readList, readIndented, readTable];

function parseLines(lines: readonly string[], depth: number): MarkdownBlock[] {
  return readBlocks(lines, depth).map(({ block }) => block);
}

/** The blocks with the line that each begins with. A block depends on no line before it, and on none behind the next one's first. */
export function readBlocks(lines: readonly string[], depth = 0): { block: MarkdownBlock; start: number }[] {
  const blocks: { block: MarkdownBlock; start: number }[] = [];
  for (let at = 0; at < lines.length; ) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const read = firstRead(lines, at, depth) ?? readParagraph(lines, at, depth);
    blocks.push({ block: read.block, start: at });
    at = read.end;
  }
  return blocks;
}

function firstRead(lines: readonly string[], at: number, depth: number): Read | undefined {
  for (const reader of READERS) {
    const read = reader(lines, at, depth);
    if (read) return read;
  }
  return undefined;
}

function readFence(lines: readonly string[], at: number): Read | undefined {
  const [, fence = "", info = ""] = FENCE.exec(lines[at] as string) ?? [];
  if (fence === "") return undefined;
  const indent = (lines[at] as string).indexOf(fence);
  let end = at + 1;
  while (end < lines.length && !isFenceEnd(lines[end] as string, fence)) end += 1;
  const text = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, leadingSpaces(line))));
  const language = /^[^\s{]{1,60}/.exec(info.trim())?.[0] ?? "";
  return { block: { type: "code", language, text: text.join("\n") }, end: Math.min(end + 1, lines.length) };
}

function isFenceEnd(line: string, fence: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === (fence[0] as string).repeat(trimmed.length);
}

function readHeading(lines: readonly string[], at: number): Read | undefined {
  const match = HEADING.exec((lines[at] as string).slice(0, 2000));
  if (!match) return undefined;
  return {
    block: { type: "heading", level: (match[1] as string).length, content: parseInline(match[2] ?? "") },
    end: at + 1,
  };
}

function readRule(lines: readonly string[], at: number): Read | undefined {
  const line = lines[at] as string;
  return line.length < 200 && RULE.test(line) ? { block: { type: "rule" }, end: at + 1 } : undefined;
}

function readQuote(lines: readonly string[], at: number, depth: number): Read | undefined {
  if (depth >= DEEPEST || !QUOTE.test(lines[at] as string)) return undefined;
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end] as string)) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return { block: { type: "quote", children: parseLines(inner, depth + 1) }, end };
}

function readList(lines: readonly string[], at: number, depth: number): Read | undefined {
  const first = ITEM.exec(lines[at] as string);
  if (!first || depth >= DEEPEST) return undefined;
  const kind = markerKind(first[2] as string);
  const items: ListItem[] = [];
  let end = at;
  for (;;) {
    while (items.length > 0 && isBlank(lines[end]) && end < lines.length) end += 1;
    const marker = ITEM.exec(lines[end] ?? "");
    if (!marker || markerKind(marker[2] as string) !== kind || readRule(lines, end)) break;
    const itemEnd = endOfItem(lines, end, contentColumn(marker));
    items.push(readItem(lines.slice(end, itemEnd), marker, depth));
    end = itemEnd;
  }
  const start = kind === "number" ? Number.parseInt(first[2] as string, 10) : undefined;
  return { block: { type: "list", start, items }, end };
}

function markerKind(marker: string): string {
  return /\d/.test(marker) ? "number" : marker;
}

function contentColumn([, indent = "", marker = "", space = " "]: RegExpExecArray): number {
  return indent.length + marker.length + (space.length > 4 ? 1 : Math.max(1, space.length));
}

/** Lines that are indented belong to the item, and so do those that go on with its paragraph. */
function endOfItem(lines: readonly string[], at: number, column: number): number {
  let end = at + 1;
  let isAfterBlank = false;
  for (; end < lines.length; end += 1) {
    const line = lines[end] as string;
    if (isBlank(line)) {
      isAfterBlank = true;
      continue;
    }
    const isInside = leadingSpaces(line) >= Math.min(column, 4) || leadingSpaces(line) >= column;
    if (!isInside && (isAfterBlank || startsBlock(lines, end))) break;
    isAfterBlank = false;
  }
  while (end > at + 1 && isBlank(lines[end - 1])) end -= 1;
  return end;
}

function readItem(lines: readonly string[], marker: RegExpExecArray, depth: number): ListItem {
  const column = contentColumn(marker);
  const first = (lines[0] as string).slice(Math.min(column, (lines[0] as string).length));
  const task = /^\[([ xX])\] +/.exec(first);
  const inner = [
    task ? first.slice(task[0].length) : first,
    ...lines.slice(1).map((line) => line.slice(Math.min(column, leadingSpaces(line)))),
  ];
  return { ...(task && { isDone: task[1] !== " " }), children: parseLines(inner, depth + 1) };
}

function readIndented(lines: readonly string[], at: number): Read | undefined {
  if (leadingSpaces(lines[at] as string) < 4) return undefined;
  let end = at;
  while (end < lines.length && (isBlank(lines[end]) || leadingSpaces(lines[end] as string) >= 4)) end += 1;
  while (isBlank(lines[end - 1])) end -= 1;
  const text = lines.slice(at, end).map((line) => line.slice(4));
  return { block: { type: "code", language: "", text: text.join("\n") }, end };
}

function readParagraph(lines: readonly string[], at: number, depth: number): Read {
  let end = at + 1;
  const isUnderline = (line: string) => line.length < 200 && UNDERLINE.test(line);
  while (
    end < lines.length &&
    !isBlank(lines[end]) &&
    !isUnderline(lines[end] as string) &&
    !startsBlock(lines, end, depth)
  )
    end += 1;
  const text = lines.slice(at, end).map((line) => line.replace(/^ +/, ""));
  const content = parseInline(text.join("\n").trimEnd());
  if (end < lines.length && isUnderline(lines[end] as string))
    return { block: { type: "heading", level: lines[end]?.includes("=") ? 1 : 2, content }, end: end + 1 };
  return { block: { type: "paragraph", content }, end };
}

/** What ends a paragraph without a blank line. */
function startsBlock(lines: readonly string[], at: number, depth = 0): boolean {
  const line = lines[at] as string;
  if (FENCE.test(line) || HEADING.test(line.slice(0, 2000)) || readRule(lines, at)) return true;
  if (depth >= DEEPEST) return false;
  return QUOTE.test(line) || /^ {0,3}(?:[-*+]|1[.)]|\d{1,9}[.)]) +\S/.test(line) || readTable(lines, at) !== undefined;
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === "";
}

function leadingSpaces(line: string): number {
  let count = 0;
  while (line[count] === " ") count += 1;
  return count;
}
