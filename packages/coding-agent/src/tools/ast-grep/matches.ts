import type { SgNode } from "@pintle/exec/native";
import { readCapture } from "../ast/captures.ts";
import { capturedVariables, showVariable } from "../ast/metavariables.ts";
import { cutAt, type FileBlock, oneLine, shortLine } from "../ast/result-text.ts";
import type { ScannedFile } from "../ast/scan.ts";
import { plural } from "../shared/plural.ts";

interface Match {
  /** Lines of the file, 0-based. */
  firstLine: number;
  lastLine: number;
  column: number;
  /** `$NAME = code` */
  captures: string[];
}

/** Returns all matches in a file in source order. Code that several patterns match is listed once. */
function matchesIn({ source, matches }: ScannedFile, patterns: readonly string[]): (() => Match)[] {
  const found = new Map<string, { start: number; end: number; node: SgNode; pattern: string }>();
  for (const [index, nodes] of matches.entries()) {
    for (const node of nodes) {
      const { start, end } = node.range();
      const key = `${start.index}-${end.index}`;
      if (!found.has(key)) found.set(key, { start: start.index, end: end.index, node, pattern: patterns[index] ?? "" });
    }
  }
  return [...found.values()]
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .map(
      ({ node, pattern }) =>
        () =>
          describe(node, pattern, source.text),
    );
}

function describe(node: SgNode, pattern: string, source: string): Match {
  const { start, end } = node.range();
  const captures = capturedVariables(pattern).flatMap((variable) => {
    const capture = readCapture(node, variable, source);
    return capture ? [`${showVariable(variable)} = ${shortLine(capture.text)}`.trimEnd()] : [];
  });
  return { firstLine: start.line, lastLine: end.line, column: start.column, captures };
}

interface PageRequest {
  patterns: readonly string[];
  /** Number of matches to skip. */
  offset: number;
  /** Number of matches to keep. */
  limit: number;
  maxFiles: number;
  /** Lines around each match. */
  context: number;
}

/** Collects the matches of one page, starting at `offset`. */
export class MatchPage {
  readonly blocks: (FileBlock & { count: number })[] = [];
  readonly request: PageRequest;
  #seen = 0;
  #isFull = false;

  constructor(request: PageRequest) {
    this.request = request;
  }

  /** Number of matches found, including those that are not shown. */
  get seen(): number {
    return this.#seen;
  }

  /** Whether there are more than requested. */
  get isFull(): boolean {
    return this.#isFull;
  }

  get count(): number {
    return this.blocks.reduce((sum, { count }) => sum + count, 0);
  }

  /** Returns false once the page is full. */
  add(file: ScannedFile): boolean {
    const { patterns, offset, limit, maxFiles, context } = this.request;
    const found = matchesIn(file, patterns);
    const wanted = found.slice(Math.max(0, offset - this.#seen), Math.max(0, offset + limit - this.#seen));
    const hasRoom = this.blocks.length < maxFiles;
    this.#seen += found.length;
    this.#isFull = this.#seen > offset + limit || (wanted.length > 0 && !hasRoom);
    if (wanted.length > 0 && hasRoom) {
      const lines = matchLines(
        file.source.text,
        wanted.map((describe) => describe()),
        context,
      );
      this.blocks.push({ path: file.shown, summary: plural(wanted.length, "match"), lines, count: wanted.length });
    }
    return !this.#isFull;
  }
}

const MAX_LINE_CHARACTERS = 500;
/** Number of characters of a long line that are shown before the match. */
const LEAD_CHARACTERS = 100;
const MAX_MATCH_LINES = 20;

/** Formats the matches of one file: their lines, `context` lines around each, and the captures. */
function matchLines(source: string, matches: readonly Match[], context: number): string[] {
  const lines = source.split("\n");
  const shown: string[] = [];
  let next = 0; // first line that has not been shown
  const show = (from: number, to: number, separator: string) => {
    for (let line = Math.max(from, next); line < Math.min(to, lines.length); line += 1) {
      shown.push(`   ${line + 1}${separator} ${shorten(lines[line] ?? "", 0)}`);
      next = line + 1;
    }
  };
  for (const [index, { firstLine, lastLine, column, captures }] of matches.entries()) {
    show(firstLine - context, firstLine, "-");
    shown.push(`>> ${firstLine + 1}: ${shorten(lines[firstLine] ?? "", column)}`);
    next = Math.max(next, firstLine + 1);
    const following = matches[index + 1]?.firstLine ?? Number.POSITIVE_INFINITY;
    const lastShown = Math.min(lastLine, firstLine + MAX_MATCH_LINES - 1);
    show(firstLine + 1, Math.min(lastShown + 1, following), ":");
    if (lastShown < lastLine && lastShown < following) shown.push(`   … (+${lastLine - lastShown} lines)`);
    if (captures.length > 0) shown.push(`   captures: ${captures.join(", ")}`);
    if (lastShown === lastLine) show(lastLine + 1, Math.min(lastLine + 1 + context, following), "-");
  }
  return shown;
}

function shorten(line: string, column: number): string {
  const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (plain.length <= MAX_LINE_CHARACTERS) return oneLine(plain);
  const from = column < MAX_LINE_CHARACTERS - LEAD_CHARACTERS ? 0 : column - LEAD_CHARACTERS;
  const rest = plain.slice(from);
  const cut = cutAt(rest, MAX_LINE_CHARACTERS);
  return `${from > 0 ? "…" : ""}${oneLine(cut)}${cut.length < rest.length ? "…" : ""}`;
}
