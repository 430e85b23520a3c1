import { isWordCharacter, mapNormal, normalLine } from "./normal-line.ts";

/** A line that is not blank. */
export interface BlockLine {
  indent: string;
  body: string;
  /** Trailing spaces. */
  trail: string;
  normal: string;
}

/** A string from the model, as its non-blank lines and the number of blank lines between them. */
export interface Block {
  lines: readonly BlockLine[];
  /** Number of blank lines before each line; for the first line, the newlines at the start of the text. */
  blanks: readonly number[];
  /** Number of newlines after the last line. */
  breaksAtEnd: number;
}

export function blockOf(text: string): Block {
  const lines: BlockLine[] = [];
  const blanks: number[] = [];
  const all = text.split("\n");
  let empty = 0;
  for (const line of all) {
    const normal = normalLine(line);
    if (normal === "") {
      empty += 1;
      continue;
    }
    lines.push(blockLine(line, normal));
    blanks.push(empty);
    empty = 0;
  }
  return { lines, blanks, breaksAtEnd: lines.length === 0 ? all.length - 1 : empty };
}

const BLANK = /^[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]$/;

/** Splits a line into indentation, body and trailing spaces. Control characters belong to the body. */
function blockLine(line: string, normal = normalLine(line)): BlockLine {
  let start = 0;
  while (start < line.length && BLANK.test(line[start]!)) start += 1;
  let end = line.length;
  while (end > start && BLANK.test(line[end - 1]!)) end -= 1;
  return { indent: line.slice(0, start), body: line.slice(start, end), trail: line.slice(end), normal };
}

/** The non-empty lines of a file in normal form, with their positions. */
export interface FileLines {
  text: string;
  normals: readonly string[];
  /** Offsets at which these lines begin. */
  starts: readonly number[];
  /** 1-based. */
  numbers: readonly number[];
}

export function fileLines(text: string): FileLines {
  const normals: string[] = [];
  const starts: number[] = [];
  const numbers: number[] = [];
  let start = 0;
  for (let number = 1; start <= text.length; number += 1) {
    const end = endOfLine(text, start);
    const normal = normalLine(text.slice(start, end));
    if (normal !== "") {
      normals.push(normal);
      starts.push(start);
      numbers.push(number);
    }
    start = end + 1;
  }
  return { text, normals, starts, numbers };
}

export function endOfLine(text: string, start: number): number {
  const newline = text.indexOf("\n", start);
  return newline === -1 ? text.length : newline;
}

/** A match of normal lines: its first line, and its start and end columns in normal lines. */
interface NormalPlace {
  line: number;
  startColumn: number;
  endColumn: number;
}

interface NormalPlaces {
  places: NormalPlace[];
  /** Whether there are more than `limit`. */
  isCut: boolean;
}

/**
 * Finds all places with the wanted lines in sequence. The first wanted line may match the end of a line and the last one the
 * beginning, but never part of a word. Takes linear time even if lines repeat.
 */
export function findLines(lines: readonly string[], wanted: readonly string[], limit: number): NormalPlaces {
  const places: NormalPlace[] = [];
  for (const place of wanted.length === 1 ? withinLines(lines, wanted[0]!) : acrossLines(lines, wanted)) {
    if (places.length === limit) return { places, isCut: true };
    places.push(place);
  }
  return { places, isCut: false };
}

function* withinLines(lines: readonly string[], wanted: string): Generator<NormalPlace> {
  for (const [line, text] of lines.entries()) {
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
      const end = at + wanted.length;
      if (!cutsWord(text, at) && !cutsWord(text, end)) yield { line, startColumn: at, endColumn: end };
    }
  }
}

function* acrossLines(lines: readonly string[], wanted: readonly string[]): Generator<NormalPlace> {
  const [first, last] = [wanted[0]!, wanted.at(-1)!];
  for (const inner of runsOf(lines, wanted.slice(1, -1))) {
    const [before, after] = [lines[inner - 1], lines[inner + wanted.length - 2]];
    if (before === undefined || after === undefined) continue;
    if (!before.endsWith(first) || !after.startsWith(last)) continue;
    const startColumn = before.length - first.length;
    if (cutsWord(before, startColumn) || cutsWord(after, last.length)) continue;
    yield { line: inner - 1, startColumn, endColumn: last.length };
  }
}

/** Yields each line where the wanted lines start (Knuth-Morris-Pratt), or every line if there are none. */
function* runsOf(lines: readonly string[], wanted: readonly string[]): Generator<number> {
  if (wanted.length === 0) {
    yield* lines.keys();
    return;
  }
  const borders = bordersOf(wanted);
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && line !== wanted[matched]) matched = borders[matched - 1]!;
    if (line === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    yield index - wanted.length + 1;
    matched = borders[matched - 1]!;
  }
}

/** Returns, for each prefix of the list, the length of its longest border. */
function bordersOf(wanted: readonly string[]): number[] {
  const borders = [0];
  let length = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    while (length > 0 && wanted[index] !== wanted[length]) length = borders[length - 1]!;
    if (wanted[index] === wanted[length]) length += 1;
    borders.push(length);
  }
  return borders;
}

function cutsWord(text: string, at: number): boolean {
  return isWordCharacter(text[at - 1]) && isWordCharacter(text[at]);
}

/** A line of the file, or the part of it that the old text covers. */
export interface FileLine extends BlockLine {
  /** Offset of its first character, including indentation. */
  start: number;
  bodyStart: number;
  bodyEnd: number;
  /** Offset of the line ending, or of the end of the part. */
  end: number;
}

/** A place in the file that matches the old text line by line. */
export interface Place {
  lines: readonly FileLine[];
  /** Number of blank lines before each line except the first. */
  blanks: readonly number[];
  /** Number of newlines directly before the first line and directly after the last. */
  breaksBefore: number;
  breaksAfter: number;
  /** Whether other text precedes it in its first line, or follows it in its last. */
  beginsInLine: boolean;
  endsInLine: boolean;
  firstNumber: number;
  lastNumber: number;
}

/** Returns undefined if the place starts or ends inside a character. */
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
