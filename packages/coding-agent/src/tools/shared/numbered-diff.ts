import { cutText } from "@pintle/ai";
import { countLines, terminatedLines } from "@pintle/foundation";
import { lineHunks, type TextChange } from "./line-hunks.ts";
import { stripControlCharacters } from "./printable-text.ts";

export type { TextChange } from "./line-hunks.ts";

export interface NumberedDiff {
  diff: string;
  /** Line number in the new text; 0 if nothing differs. */
  firstChangedLine: number;
}

const CONTEXT_LINES = 4;
const MAX_DIFF_CHARACTERS = 50_000;
const MAX_LINE_CHARACTERS = 1_000;
const SKIPPED = " ...";
const NO_NEWLINE = "\\ No newline at end of file";

/**
 * Formats changes as lines ` 12 same`, `-13 old` and `+13 new`: removed lines have their old number, the others their new
 * one. The changes must be in order and not overlap. Long diffs are truncated, with a note. `toShown` converts a line to
 * characters if the content is something else.
 */
export async function numberedDiff(
  oldText: string,
  changes: readonly TextChange[],
  toShown: (line: string) => string = (line) => line,
): Promise<NumberedDiff> {
  const out = boundedLines(toShown);
  let at = 0;
  let oldLine = 1;
  let newLine = 1;
  let firstChangedLine = 0;
  for (const { start, end, removed, added } of await lineHunks(oldText, changes)) {
    const same = oldText.slice(at, start);
    const sameCount = countLines(same);
    writeContext(out, same, newLine, { sameCount, isAfterHunk: firstChangedLine > 0, isBeforeHunk: true });
    oldLine += sameCount;
    newLine += sameCount;
    firstChangedLine ||= newLine;
    for (const line of removed) out.add("-", oldLine++, line);
    for (const line of added) out.add("+", newLine++, line);
    at = end;
  }
  if (firstChangedLine > 0) {
    const rest = oldText.slice(at);
    const sameCount = countLines(firstLines(rest, CONTEXT_LINES + 1));
    writeContext(out, rest, newLine, { sameCount, isAfterHunk: true, isBeforeHunk: false });
  }
  return { diff: out.text(), firstChangedLine };
}

interface Surroundings {
  sameCount: number;
  isAfterHunk: boolean;
  isBeforeHunk: boolean;
}

function writeContext(out: BoundedLines, same: string, firstNumber: number, surroundings: Surroundings): void {
  const { sameCount, isAfterHunk, isBeforeHunk } = surroundings;
  const wanted = CONTEXT_LINES * (Number(isAfterHunk) + Number(isBeforeHunk));
  if (sameCount <= wanted) {
    writeLines(out, same, firstNumber);
    return;
  }
  if (isAfterHunk) writeLines(out, firstLines(same, CONTEXT_LINES), firstNumber);
  out.skip();
  if (isBeforeHunk) writeLines(out, lastLines(same, CONTEXT_LINES), firstNumber + sameCount - CONTEXT_LINES);
}

function writeLines(out: BoundedLines, text: string, firstNumber: number): void {
  for (const [index, line] of terminatedLines(text).entries()) out.add(" ", firstNumber + index, line);
}

function firstLines(text: string, count: number): string {
  let end = 0;
  for (let line = 0; line < count && end < text.length; line += 1) {
    const newline = text.indexOf("\n", end);
    end = newline === -1 ? text.length : newline + 1;
  }
  return text.slice(0, end);
}

/** Returns the last lines of content that ends with a newline. */
function lastLines(text: string, count: number): string {
  let start = text.length;
  for (let line = 0; line < count && start > 0; line += 1) start = text.lastIndexOf("\n", start - 2) + 1;
  return text.slice(start);
}

type BoundedLines = ReturnType<typeof boundedLines>;

function boundedLines(toShown: (line: string) => string) {
  const lines: string[] = [];
  let characters = 0;
  let leftOut = 0;
  const push = (line: string) => {
    if (characters + line.length > MAX_DIFF_CHARACTERS) leftOut += 1;
    else lines.push(line);
    characters += line.length + 1;
  };
  return {
    add(sign: " " | "+" | "-", number: number, line: string): void {
      const isTerminated = line.endsWith("\n");
      push(`${sign}${number} ${shorten(stripControlCharacters(toShown(isTerminated ? line.slice(0, -1) : line)))}`);
      if (!isTerminated && sign !== " ") push(NO_NEWLINE);
    },
    skip: () => push(SKIPPED),
    text: () => (leftOut > 0 ? [...lines, `[${leftOut} more lines of the diff]`] : lines).join("\n"),
  };
}

function shorten(line: string): string {
  return cutText(line, MAX_LINE_CHARACTERS);
}
