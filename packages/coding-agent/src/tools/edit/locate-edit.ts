import { cutToBytes } from "../../text/cut-to-bytes.ts";
import { stripControlCharacters } from "../shared/control-characters.ts";
import { decodings } from "./decoding/decodings.ts";
import { everyOccurrence, exactChanges, MAX_COUNTED, occurrences } from "./exact-text.ts";
import { climb, type Landing } from "./ladder/climb.ts";
import type { FileLines } from "./matching/file-lines.ts";
import {
  editField,
  emptyText,
  placeholderText,
  severalText,
  unchangedText,
  unclearText,
} from "./refusals/edit-errors.ts";
import { notFoundText, rangeOf } from "./refusals/not-found.ts";
import { findPlaceholder } from "./refusals/placeholders.ts";
import { describePlaces, MAX_DESCRIBED } from "./refusals/several-places.ts";
import type { DecodedFile } from "./text-codec.ts";

export type { Landing } from "./ladder/climb.ts";

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
  /** The file's text in normal form, made when it is first asked for. */
  lines(): FileLines;
}

export interface Located {
  landings: Landing[];
  /** How the text was found, if not as it is. */
  told: string;
}

interface Wanted {
  oldText: string;
  /** Missing if it cannot be read with certainty. */
  newText: string | undefined;
  told: string;
  isWholeLines: boolean;
}

/** The place of an edit and what it does there, or an Error for the model. */
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
    if (left) throw new Error(placeholderText(field, shownPath, left));
    throw new Error(notFoundText({ field, shownPath, file, text, oldText, newText }));
  }
  const left = oldText.includes(newText) ? undefined : findPlaceholder(newText, text);
  if (left) throw new Error(placeholderText(editField("newText", index, editCount), shownPath, left));
  if (located.landings.every(({ changes }) => changes.length === 0)) {
    const { start, end } = located.landings[0]!;
    throw new Error(unchangedText(shownPath, index, editCount, rangeOf(text, start, end)));
  }
  return located;
}

/** The order mark of a file is not part of its text. */
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
  const asItIs: Wanted = { ...pair, told: "", isWholeLines: false };
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
  const { oldText, newText, told } = wanted;
  const all = replaceAll ? everyOccurrence(text, oldText) : occurrences(text, oldText);
  const starts = wanted.isWholeLines ? all.filter((start) => start === 0 || text[start - 1] === "\n") : all;
  if (starts.length === 0) return undefined;
  if (starts.length > 1 && !replaceAll) {
    const count = starts.length === MAX_COUNTED ? `${MAX_COUNTED} or more` : `${starts.length}`;
    throw new Error(severalText({ field, shownPath, count, told, places: placesOf(text, starts, oldText) }));
  }
  if (newText === undefined)
    throw unclear(search, field, rangeOf(text, starts[0]!, starts[0]! + oldText.length), told, UNREADABLE);
  const landings = starts.map((start) => {
    const changes = exactChanges(text, start, oldText, newText);
    return { start, end: start + oldText.length, changes, told };
  });
  return { landings, told };
}

const UNREADABLE = "the new text can be read in two ways";

function findSpelled(search: Search, wanted: Wanted, replaceAll: boolean, field: string): Located | undefined {
  const { oldText, newText = "", told } = wanted;
  const isProse = PROSE.test(search.shownPath);
  const climbed = climb({ file: search.lines(), oldText, newText, isProse, replaceAll });
  const all = (more: string) => [told, more].filter((part) => part !== "").join(", ");
  switch (climbed.kind) {
    case "none":
      return undefined;
    case "several": {
      const { lines } = climbed;
      const places = describePlaces(search.text, lines, { height: heightOf(oldText), total: lines.length });
      const count = climbed.isCut ? `${lines.length} or more` : `${lines.length}`;
      throw new Error(severalText({ field, shownPath: search.shownPath, count, told: all(climbed.told), places }));
    }
    case "unclear": {
      const { firstNumber: first, lastNumber: last, reason } = climbed;
      throw unclear(search, field, { first, last }, all(climbed.told), reason);
    }
    case "landed": {
      const [first] = climbed.landings;
      if (newText !== wanted.newText) {
        throw unclear(search, field, rangeOf(search.text, first!.start, first!.end), told, UNREADABLE);
      }
      return { landings: climbed.landings, told: all(first!.told) };
    }
  }
}

/** Files whose text is for readers rather than for programs. */
const PROSE = /\.(?:md|mdx|markdown|txt|rst|adoc|tex|org|html?)$/i;
const MAX_SHOWN_BYTES = 4096;

function unclear(
  search: Search,
  field: string,
  range: { first: number; last: number },
  told: string,
  reason: string,
): Error {
  const lines = search.text.split("\n").slice(range.first - 1, range.last);
  const shown = cutToBytes(stripControlCharacters(lines.join("\n")), MAX_SHOWN_BYTES);
  return new Error(`${unclearText(field, search.shownPath, range, told, reason)}\n${shown}`);
}

function placesOf(text: string, starts: readonly number[], wanted: string): string {
  const numbers = starts.slice(0, MAX_DESCRIBED).map((start) => rangeOf(text, start, start).first);
  return describePlaces(text, numbers, { height: heightOf(wanted), total: starts.length });
}

function heightOf(text: string): number {
  return text.trim().split("\n").length;
}
