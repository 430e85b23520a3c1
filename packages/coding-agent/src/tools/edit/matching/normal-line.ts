import { foldCharacters, inseparableParts } from "./look-alikes.ts";

/**
 * The normal form of a line: look-alike characters folded, no spaces but one between two words. Two texts that could be
 * meant as the same have the same normal lines; in what they differ is found afterwards, by comparing the texts themselves.
 */
export function normalLine(line: string): string {
  if (PLAIN.test(line)) return squeezePlain(line);
  return foldCharacters(line).replace(BLANKS, " ").replace(NEEDLESS_SPACE, "");
}

/** Characters without look-alikes. */
const PLAIN = /^[\t\x20-\x7e]*$/;
const BLANKS = /[ \t]+/g;
const NEEDLESS_SPACE = / (?![\p{L}\p{N}\p{M}_])|(?<![\p{L}\p{N}\p{M}_]) /gu;
const NEEDLESS_PLAIN_SPACE = / (?!\w)|(?<!\w) /g;
const WORD = /^[\p{L}\p{N}\p{M}_]$/u;

function squeezePlain(line: string): string {
  const trimmed = line.trim();
  if (!trimmed.includes(" ") && !trimmed.includes("\t")) return trimmed;
  return trimmed.replace(BLANKS, " ").replace(NEEDLESS_PLAIN_SPACE, "");
}

export function isWordCharacter(character: string | undefined): boolean {
  if (character === undefined) return false;
  const code = character.charCodeAt(0);
  if (code < 0x80) return isPlainWord(code);
  return WORD.test(character);
}

function isPlainWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f
  );
}

/** Where each unit of a normal line comes from. Several that were one character have the same place. */
export interface NormalMap {
  normal: string;
  starts: readonly number[];
  ends: readonly number[];
}

export function mapNormal(line: string): NormalMap {
  const units: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let blankStart = -1;
  const add = (unit: string, start: number, end: number) => {
    const last = units.at(-1);
    if (blankStart !== -1 && last !== undefined && isWordCharacter(last) && isWordCharacter(unit)) {
      units.push(" ");
      starts.push(blankStart);
      ends.push(start);
    }
    blankStart = -1;
    for (let half = 0; half < unit.length; half += 1) {
      units.push(unit[half]!);
      starts.push(start);
      ends.push(end);
    }
  };
  for (const { part, start } of PLAIN.test(line) ? characters(line) : inseparableParts(line)) {
    const folded = part.length === 1 && part < "\x7f" && part >= " " ? part : foldCharacters(part);
    for (const unit of folded) {
      if (unit !== " " && unit !== "\t") add(unit, start, start + part.length);
      else if (blankStart === -1) blankStart = start;
    }
  }
  return { normal: units.join(""), starts, ends };
}

function* characters(line: string): Generator<{ part: string; start: number }> {
  for (let start = 0; start < line.length; start += 1) yield { part: line[start]!, start };
}
