import { type BlockLine, blockLine } from "./block.ts";
import { endOfLine, type FileLines } from "./file-lines.ts";
import type { NormalPlace } from "./find-lines.ts";
import { mapNormal, normalLine } from "./normal-line.ts";

/** A line of the file, or the part of it that the old text names. */
export interface FileLine extends BlockLine {
  /** Offset of its first character, the indentation included. */
  start: number;
  bodyStart: number;
  bodyEnd: number;
  /** Offset of what ends the line, or of what stands behind the part. */
  end: number;
}

/** Where the file has the old text, line for line: as many lines as the old text has. */
export interface Place {
  lines: readonly FileLine[];
  /** Empty lines before each line but the first. */
  blanks: readonly number[];
  /** Newlines right before the first line and right behind the last. */
  breaksBefore: number;
  breaksAfter: number;
  /** Something stands before it in its first line, or behind it in its last. */
  beginsInLine: boolean;
  endsInLine: boolean;
  firstNumber: number;
  lastNumber: number;
}

/** Undefined where a border of the place is inside of a character. */
export function placeAt(
  file: FileLines,
  { line, startColumn, endColumn }: NormalPlace,
  count: number,
): Place | undefined {
  const { text, normals, starts, numbers } = file;
  const last = line + count - 1;
  const lines: FileLine[] = [];
  for (let index = line; index <= last; index += 1) {
    const start = starts[index]!;
    const end = endOfLine(text, start);
    const from = index === line ? startColumn : 0;
    const to = index === last ? endColumn : normals[index]!.length;
    const found = partOfLine(text, { start, end }, normals[index]!, [from, to]);
    if (!found) return undefined;
    lines.push(found);
  }
  const firstNumber = numbers[line]!;
  const lastNumber = numbers[last]!;
  return {
    lines,
    blanks: lines.map((_, index) => (index === 0 ? 0 : numbers[line + index]! - numbers[line + index - 1]! - 1)),
    breaksBefore: line === 0 ? firstNumber - 1 : firstNumber - numbers[line - 1]!,
    breaksAfter: last + 1 < numbers.length ? numbers[last + 1]! - lastNumber : breaksIn(text, lines.at(-1)!.end),
    beginsInLine: startColumn > 0,
    endsInLine: endColumn < normals[last]!.length,
    firstNumber,
    lastNumber,
  };
}

function partOfLine(
  text: string,
  { start, end }: { start: number; end: number },
  normal: string,
  [from, to]: readonly [number, number],
): FileLine | undefined {
  const raw = text.slice(start, end);
  const isWhole = from === 0 && to === normal.length;
  if (isWhole) return fileLine(raw, normal, start, end);
  const map = mapNormal(raw);
  if (map.normal !== normal || isInside(map.starts, from) || isInside(map.starts, to)) return undefined;
  const partStart = from === 0 ? 0 : map.starts[from]!;
  const partEnd = to === normal.length ? raw.length : map.ends[to - 1]!;
  const part = raw.slice(partStart, partEnd);
  const wanted = normal.slice(from, to);
  const partOffset = to === normal.length ? end : start + partEnd;
  return normalLine(part) === wanted ? fileLine(part, wanted, start + partStart, partOffset) : undefined;
}

function fileLine(part: string, normal: string, start: number, end: number): FileLine {
  const line = blockLine(part, normal);
  const bodyStart = start + line.indent.length;
  return { ...line, start, bodyStart, bodyEnd: bodyStart + line.body.length, end };
}

function isInside(starts: readonly number[], column: number): boolean {
  return column > 0 && column < starts.length && starts[column] === starts[column - 1];
}

function breaksIn(text: string, offset: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", offset); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
