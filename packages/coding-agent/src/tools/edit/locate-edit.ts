import { cutToBytes, terminatedLines } from "@pintle/foundation";
import type { TextChange } from "../shared/numbered-diff.ts";
import { stripControlCharacters } from "../shared/printable-text.ts";
import { align, createChangeList } from "./align.ts";
import { decodings } from "./decodings.ts";
import type { DecodedFile } from "./file-text.ts";
import type { FileLines } from "./find-lines.ts";
import { type Landing, matchSpelling } from "./match-spelling.ts";
import { notFoundText, rangeOf } from "./not-found.ts";
import {
  describePlaces,
  editField,
  emptyText,
  findPlaceholder,
  type LineRange,
  MAX_DESCRIBED,
  omittedLines,
  placeholderText,
  rangeInWords,
  severalText,
  unchangedText,
  unclearText,
} from "./refusals.ts";

export type { Landing } from "./match-spelling.ts";

export interface Edit {
  oldText: string;
  newText: string;
  replaceAll?: boolean;
}

export interface Search {
  file: DecodedFile;
  /** The file's text with newlines only. */
  text: string;
  shownPath: string;
  editCount: number;
  /** The file's lines in normal form, computed on first use. */
  lines(): FileLines;
}

export interface Located {
  landings: Landing[];
  /** Describes an inexact match; empty for an exact one. */
  matchNote: string;
}

interface Wanted {
  oldText: string;
  /** Undefined if the new text can be decoded in more than one way. */
  newText: string | undefined;
  matchNote: string;
  isWholeLines: boolean;
}

/** Finds where an edit applies and what it changes there. Throws an Error whose message the model reads. */
export function locateEdit(search: Search, edit: Edit, index: number): Located {
  const { file, text, shownPath, editCount } = search;
  const oldText = asInFile(search, edit.oldText);
  const newText = asInFile(search, edit.newText);
  const field = editField("oldText", index, editCount);
  if (oldText === "") throw new Error(emptyText(field));
  if (oldText === newText) throw new Error(unchangedText(shownPath, index, editCount));
  const located = find(search, edit, field, { oldText, newText });
  if (!located) {
    const left = findPlaceholder(oldText, text);
    if (left) throw new Error(withOmitted(search, oldText, left.number, placeholderText(field, shownPath, left)));
    throw new Error(notFoundText({ field, shownPath, file, text, oldText, newText }));
  }
  const left = oldText.includes(newText) ? undefined : findPlaceholder(newText, text);
  if (left) {
    const { start, end } = located.landings[0]!;
    const refusal = placeholderText(editField("newText", index, editCount), shownPath, left);
    throw new Error(withLines(search, rangeOf(text, start, end), `${refusal} It would replace`));
  }
  if (located.landings.every(({ changes }) => changes.length === 0)) {
    const { start, end } = located.landings[0]!;
    throw new Error(unchangedText(shownPath, index, editCount, rangeOf(text, start, end)));
  }
  return located;
}

/** Removes a byte order mark that the model copied, because it is not part of the file's text. */
function asInFile({ file, text }: Search, written: string): string {
  const hasMark = written.startsWith("\ufeff") && !text.includes("\ufeff");
  return file.fromModel(hasMark ? written.slice(1) : written).replaceAll("\r\n", "\n");
}

function find(
  search: Search,
  { replaceAll = false }: Edit,
  field: string,
  pair: { oldText: string; newText: string },
): Located | undefined {
  const asItIs: Wanted = { ...pair, matchNote: "", isWholeLines: false };
  const exact = findExactly(search, asItIs, replaceAll, field);
  if (exact || !search.file.isCharacters) return exact;
  const spelled = findSpelled(search, asItIs, replaceAll, field);
  if (spelled) return spelled;
  for (const decoded of decodings(pair)) {
    if (decoded.oldText === "" || decoded.oldText === decoded.newText) continue;
    const wanted: Wanted = { newText: undefined, ...decoded };
    const found = findExactly(search, wanted, replaceAll, field) ?? findSpelled(search, wanted, replaceAll, field);
    if (found) return found;
  }
  return undefined;
}

function findExactly(search: Search, wanted: Wanted, replaceAll: boolean, field: string): Located | undefined {
  const { text, shownPath } = search;
  const { oldText, newText, matchNote } = wanted;
  const all = replaceAll ? everyOccurrence(text, oldText) : occurrences(text, oldText);
  const starts = wanted.isWholeLines ? all.filter((start) => start === 0 || text[start - 1] === "\n") : all;
  if (starts.length === 0) return undefined;
  if (starts.length > 1 && !replaceAll) {
    const count = starts.length === MAX_COUNTED ? `${MAX_COUNTED} or more` : `${starts.length}`;
    throw new Error(severalText({ field, shownPath, count, matchNote, places: placesOf(text, starts, oldText) }));
  }
  if (newText === undefined)
    throw unclear(search, field, rangeOf(text, starts[0]!, starts[0]! + oldText.length), matchNote, UNREADABLE);
  const landings = starts.map((start) => {
    const changes = exactChanges(text, start, oldText, newText);
    return { start, end: start + oldText.length, changes, matchNote };
  });
  return { landings, matchNote };
}

const UNREADABLE = "the new text can be read in two ways";

function findSpelled(search: Search, wanted: Wanted, replaceAll: boolean, field: string): Located | undefined {
  const { oldText, newText = "", matchNote } = wanted;
  const isProse = PROSE.test(search.shownPath);
  const match = matchSpelling({ file: search.lines(), oldText, newText, isProse, replaceAll });
  const all = (more: string) => [matchNote, more].filter((part) => part !== "").join(", ");
  switch (match.kind) {
    case "none":
      return undefined;
    case "several": {
      const { lines } = match;
      const places = describePlaces(search.text, lines, { height: heightOf(oldText), total: lines.length });
      const count = match.isCut ? `${lines.length} or more` : `${lines.length}`;
      throw new Error(
        severalText({ field, shownPath: search.shownPath, count, matchNote: all(match.matchNote), places }),
      );
    }
    case "unclear": {
      const { firstNumber: first, lastNumber: last, reason } = match;
      throw unclear(search, field, { first, last }, all(match.matchNote), reason);
    }
    case "landed": {
      const [first] = match.landings;
      if (newText !== wanted.newText) {
        throw unclear(search, field, rangeOf(search.text, first!.start, first!.end), matchNote, UNREADABLE);
      }
      return { landings: match.landings, matchNote: all(first!.matchNote) };
    }
  }
}

/** Extensions of files with prose rather than code. */
const PROSE = /\.(?:md|mdx|markdown|txt|rst|adoc|tex|org|html?)$/i;
const MAX_SHOWN_BYTES = 4096;

function unclear(
  search: Search,
  field: string,
  range: { first: number; last: number },
  matchNote: string,
  reason: string,
): Error {
  return new Error(`${unclearText(field, search.shownPath, range, matchNote, reason)}\n${linesOf(search, range)}`);
}

function withOmitted(search: Search, oldText: string, placeholder: number, refusal: string): string {
  const omitted = search.file.isCharacters ? omittedLines(search.lines(), oldText, placeholder) : undefined;
  return omitted ? withLines(search, omitted, `${refusal} The placeholder stands for`) : refusal;
}

function withLines(search: Search, range: LineRange, text: string): string {
  return `${text} ${rangeInWords(range)}:\n${linesOf(search, range)}`;
}

function linesOf({ text }: Search, { first, last }: LineRange): string {
  const lines = text.split("\n").slice(first - 1, last);
  return cutToBytes(stripControlCharacters(lines.join("\n")), MAX_SHOWN_BYTES);
}

function placesOf(text: string, starts: readonly number[], wanted: string): string {
  const numbers = starts.slice(0, MAX_DESCRIBED).map((start) => rangeOf(text, start, start).first);
  return describePlaces(text, numbers, { height: heightOf(wanted), total: starts.length });
}

function heightOf(text: string): number {
  return text.trim().split("\n").length;
}

/** Limits the time for text with a million occurrences, where the exact count does not help. */
const MAX_COUNTED = 1000;

/** Returns the offsets of at most MAX_COUNTED matches. Overlapping matches are ambiguous too, so they are included. */
function occurrences(text: string, wanted: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1 && starts.length < MAX_COUNTED; at = text.indexOf(wanted, at + 1)) {
    starts.push(at);
  }
  return starts;
}

/** Returns the offsets of all matches that do not overlap, from the beginning of the text. */
function everyOccurrence(text: string, wanted: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) starts.push(at);
  return starts;
}

/** Leaves out lines that the model repeated only as context, so that they keep the file's line ends. */
function exactChanges(text: string, start: number, oldText: string, newText: string): TextChange[] {
  const oldLines = terminatedLines(oldText);
  const newLines = terminatedLines(newText);
  const origins = align(oldLines, newLines, (line) => line.length);
  const offsets = [start];
  for (const line of oldLines) offsets.push(offsets.at(-1)! + line.length);
  const out = createChangeList(text, start);
  for (const [index, line] of newLines.entries()) {
    const origin = origins[index]!;
    if (origin === -1) out.insert(line);
    else out.copy(offsets[origin]!, offsets[origin + 1]!);
  }
  return out.finish(start + oldText.length);
}
