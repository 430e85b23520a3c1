import { foldText, unfoldColumn } from "./fold-text.ts";

export interface Span {
  start: number;
  end: number;
}

/** Counting each of a million places of a dash would take its time, and is of no use. */
export const MAX_COUNTED = 1000;

/** One place, or how many there are when it is not one; MAX_COUNTED also stands for more. */
export type Found = Span | { count: number; isExact: boolean };

export interface TextFinder {
  find(wanted: string): Found;
}

/** Finds the one place that has a text: exactly, else apart from look-alikes, when the text consists of characters. */
export function createTextFinder(text: string, isCharacters: boolean): TextFinder {
  let folded: string | undefined;
  return {
    find(wanted) {
      const exact = occurrences(text, wanted);
      if (exact.count === 1) return { start: exact.first, end: exact.first + wanted.length };
      if (exact.count > 1 || !isCharacters) return { count: exact.count, isExact: true };
      folded ??= foldText(text);
      return findFolded(text, folded, wanted);
    },
  };
}

function findFolded(text: string, folded: string, wanted: string): Found {
  const none: Found = { count: 0, isExact: false };
  const foldedWanted = foldText(wanted);
  if (foldedWanted.trim() === "") return none;
  // Spaces at the very end are a line's end or nothing: without them a word would match the beginning of another.
  const mustEndLine = /[^\S\n]$/.test(wanted);
  const isWhole = (end: number) => !mustEndLine || end === folded.length || folded[end] === "\n";
  const { count, first } = occurrences(folded, foldedWanted, isWhole);
  if (count !== 1) return { count, isExact: false };
  const start = unfoldOffset(text, folded, first, "start");
  const end = unfoldOffset(text, folded, first + foldedWanted.length, "end");
  return start === undefined || end === undefined || end <= start ? none : { start, end };
}

/** Overlapping ones count too: which of them was meant is just as unclear. */
function occurrences(text: string, wanted: string, isValid: (end: number) => boolean = () => true) {
  let count = 0;
  let first = -1;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (!isValid(at + wanted.length)) continue;
    if (count === 0) first = at;
    count += 1;
    if (count === MAX_COUNTED) break;
  }
  return { count, first };
}

function unfoldOffset(text: string, folded: string, offset: number, side: "start" | "end"): number | undefined {
  const foldedLineStart = offset === 0 ? 0 : folded.lastIndexOf("\n", offset - 1) + 1;
  const lineStart = startOfSameLine(text, folded, foldedLineStart);
  const newline = text.indexOf("\n", lineStart);
  const line = text.slice(lineStart, newline === -1 ? text.length : newline);
  const column = unfoldColumn(line, offset - foldedLineStart, side);
  return column === undefined ? undefined : lineStart + column;
}

function startOfSameLine(text: string, folded: string, foldedLineStart: number): number {
  let start = 0;
  for (let at = folded.indexOf("\n"); at !== -1 && at < foldedLineStart; at = folded.indexOf("\n", at + 1)) {
    start = text.indexOf("\n", start) + 1;
  }
  return start;
}
