import { isWordCharacter } from "./normal-line.ts";

/** A place that has the wanted normal lines: which line it begins in and, in normal lines, at which columns it begins and ends. */
export interface NormalPlace {
  line: number;
  startColumn: number;
  endColumn: number;
}

export interface NormalPlaces {
  places: NormalPlace[];
  /** There are more than `limit`. */
  isCut: boolean;
}

/**
 * All places where the wanted lines stand one after the other. The first may be the end of a line and the last the beginning
 * of one, but no word is cut. Each line is looked at a constant number of times, however often lines repeat.
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

/** Where the wanted lines begin, one after the other; every line if none are wanted. After Knuth, Morris and Pratt. */
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

/** For each beginning of the list, how much of it is at its end as well. */
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
