import { cutText } from "@pintle/ai";
import { stripControlCharacters } from "../shared/printable-text.ts";
import { align } from "./align.ts";
import type { DecodedFile } from "./file-text.ts";
import { endOfLine } from "./find-lines.ts";
import { normalLine } from "./normal-line.ts";
import { type LineRange, rangeInWords } from "./refusals.ts";

/** Shorter new text may occur in the file by coincidence. */
const MIN_TELLING = 8;

interface MissingText {
  field: string;
  shownPath: string;
  file: DecodedFile;
  /** The file's text with newlines only. */
  text: string;
  oldText: string;
  newText: string;
}

/** Explains what the file has instead of the text, and what to do next. */
export function notFoundText({ field, shownPath, file, text, oldText, newText }: MissingText): string {
  const problem = `${field} was not found in ${shownPath}.`;
  if (!file.isCharacters) {
    return `${problem} The file is not valid UTF-8: choose text without the characters that read shows as U+FFFD.`;
  }
  const isTelling = newText.trim().length >= MIN_TELLING && !oldText.includes(newText.trim());
  const done = isTelling ? text.indexOf(newText) : -1;
  if (done !== -1) {
    const range = rangeOf(text, done, done + newText.trimEnd().length);
    return `${problem} The new text is already in ${rangeInWords(range)}, so the edit seems to have been made. Read the file before you try again.`;
  }
  const region = findClosestRegion(text, oldText);
  if (!region) {
    return `${problem} Nothing in the file is similar. Read the file again, or search for a word from the text with grep.`;
  }
  const { firstLine: first, lastLine: last } = region;
  const diff = staleDiff(linesWithin(oldText), region.text.split("\n"), first);
  return `${problem} The most similar text is in ${rangeInWords({ first, last })} (- ${field}, + the file):\n${diff}\nRepeat the edit with the file's text.`;
}

function linesWithin(text: string): string[] {
  return text
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd()
    .split("\n");
}

export function rangeOf(text: string, start: number, end: number): LineRange {
  const first = lineNumber(text, start);
  return { first, last: first + breaksBetween(text, start, Math.max(start, end)) };
}

function lineNumber(text: string, offset: number): number {
  return 1 + breaksBetween(text, 0, offset);
}

function breaksBetween(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = endOfLine(text, start); at < end; at = endOfLine(text, at + 1)) count += 1;
  return count;
}

const MAX_LINES = 30;
const MAX_LINE = 200;
const CONTEXT = 2;

/** Shows lines that are only in the old text (`-`) and lines of the file (`+`), with the file's line numbers. */
function staleDiff(wanted: readonly string[], present: readonly string[], firstNumber: number): string {
  const origins = align(wanted.map(normalLine), present.map(normalLine), (normal) => normal.length + 1);
  const rows: { sign: "-" | "+" | " "; text: string }[] = [];
  let nextWanted = 0;
  let nextPresent = 0;
  const differUpTo = (wantedEnd: number, presentEnd: number) => {
    for (; nextWanted < wantedEnd; nextWanted += 1) rows.push({ sign: "-", text: ` ${wanted[nextWanted]!}` });
    for (; nextPresent < presentEnd; nextPresent += 1) {
      rows.push({ sign: "+", text: `${firstNumber + nextPresent} ${present[nextPresent]!}` });
    }
  };
  for (const [index, line] of present.entries()) {
    const origin = origins[index]!;
    if (origin === -1) continue;
    differUpTo(origin, index);
    rows.push({ sign: " ", text: `${firstNumber + index} ${line}` });
    nextWanted = origin + 1;
    nextPresent = index + 1;
  }
  differUpTo(wanted.length, present.length);
  const isNear = rows.map((_, index) =>
    rows.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== " "),
  );
  const shown = rows.filter((_, index) => isNear[index] || !isNear.includes(true)).slice(0, MAX_LINES);
  const text = shown.map(({ sign, text }) => sign + cutText(stripControlCharacters(text), MAX_LINE));
  return text.join("\n");
}

interface Region {
  /** 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
  /** 0 to 1. */
  similarity: number;
  text: string;
}

export const MIN_SIMILARITY = 0.6;
/** Larger files get no hint, because searching them takes too long. */
const MAX_TEXT = 4_000_000;
const MAX_WANTED = 50_000;
const PAIR_KINDS = 1 << 16;

/**
 * Finds the lines most similar to text that was not found. Similarity is the share of common character pairs, ignoring
 * spaces. A window of the text's height moves down the file, so each line is counted at most twice.
 */
export function findClosestRegion(text: string, wanted: string): Region | undefined {
  if (text.length > MAX_TEXT || wanted.length > MAX_WANTED) return undefined;
  const lines = text.split("\n");
  const wantedLines = withoutEmptyEnds(wanted.split("\n"));
  const height = Math.min(wantedLines.length, lines.length);
  const window = createPairWindow(wantedLines);
  let best = { firstLine: 0, similarity: 0 };
  for (const [index, line] of lines.entries()) {
    window.add(line);
    if (index >= height) window.remove(lines[index - height]!);
    const similarity = window.similarity();
    if (index >= height - 1 && similarity > best.similarity) best = { firstLine: index - height + 2, similarity };
  }
  if (best.similarity < MIN_SIMILARITY) return undefined;
  const region = lines.slice(best.firstLine - 1, best.firstLine - 1 + height);
  return { ...best, lastLine: best.firstLine + height - 1, text: region.join("\n") };
}

function withoutEmptyEnds(lines: readonly string[]): readonly string[] {
  const isFilled = (line: string) => line !== "";
  const first = lines.findIndex(isFilled);
  return first === -1 ? lines : lines.slice(first, lines.findLastIndex(isFilled) + 1);
}

function createPairWindow(wanted: readonly string[]) {
  const missing = new Int32Array(PAIR_KINDS); // per pair: wanted minus present
  let wantedPairs = 0;
  let presentPairs = 0;
  let common = 0;
  for (const line of wanted) {
    eachPair(line, (pair) => {
      missing[pair]! += 1;
      wantedPairs += 1;
    });
  }
  return {
    add(line: string): void {
      eachPair(line, (pair) => {
        if (missing[pair]! > 0) common += 1;
        missing[pair]! -= 1;
        presentPairs += 1;
      });
    },
    remove(line: string): void {
      eachPair(line, (pair) => {
        missing[pair]! += 1;
        if (missing[pair]! > 0) common -= 1;
        presentPairs -= 1;
      });
    },
    similarity: () => (wantedPairs + presentPairs === 0 ? 0 : (2 * common) / (wantedPairs + presentPairs)),
  };
}

/** Treats the beginning of a line as a character, so that lines of one character can be compared. */
function eachPair(line: string, use: (pair: number) => void): void {
  let previous = 0;
  for (let index = 0; index < line.length; index += 1) {
    const code = line.charCodeAt(index);
    if (code <= 0x20) continue;
    use(((previous * 31) ^ code) & (PAIR_KINDS - 1));
    previous = code;
  }
}
