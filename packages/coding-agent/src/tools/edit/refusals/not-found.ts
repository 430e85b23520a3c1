import { endOfLine } from "../matching/file-lines.ts";
import type { DecodedFile } from "../text-codec.ts";
import { findClosestRegion } from "./closest-region.ts";
import { type LineRange, rangeInWords } from "./edit-errors.ts";
import { staleDiff } from "./stale-text.ts";

/** A shorter new text may stand anywhere. */
const MIN_TELLING = 8;

export interface MissingText {
  field: string;
  shownPath: string;
  file: DecodedFile;
  /** The file's text with newlines only. */
  text: string;
  oldText: string;
  newText: string;
}

/** Why a text was not found, what stands in its place now, and what to do next. */
export function notFoundText({ field, shownPath, file, text, oldText, newText }: MissingText): string {
  const problem = `${field} was not found in ${shownPath}.`;
  if (!file.isCharacters) {
    return `${problem} The file is not valid UTF-8: name text without the characters that read shows as U+FFFD.`;
  }
  const isTelling = newText.trim().length >= MIN_TELLING && !oldText.includes(newText.trim());
  const done = isTelling ? text.indexOf(newText) : -1;
  if (done !== -1) {
    const range = rangeOf(text, done, done + newText.trimEnd().length);
    return `${problem} The new text stands in ${rangeInWords(range)} already: the edit seems to be made. Read them before you try again.`;
  }
  const region = findClosestRegion(text, oldText);
  if (!region) {
    return `${problem} Nothing in the file is like it. Read the file again, or search for a word of the text with grep.`;
  }
  const { firstLine: first, lastLine: last } = region;
  const diff = staleDiff(withoutEmptyEnds(oldText), region.text.split("\n"), first);
  return `${problem} The nearest is ${rangeInWords({ first, last })} (- as in ${field}, + as in the file):\n${diff}\nRepeat the edit with the text of the file.`;
}

function withoutEmptyEnds(text: string): string[] {
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
