/**
 * Returns the normal form of a line: look-alike characters are folded, and only two words have a single space between them.
 * Lines that a model could confuse have the same normal form; comparing the originals later shows how they differ.
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

/** Maps each code unit of a normal line to the original. Units from one character have the same offsets. */
interface NormalMap {
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

/** Matches a base character with its combining marks, or the parts of a Hangul syllable, which may fold to one character. */
const INSEPARABLE = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|\P{M}\p{M}*|\p{M}+/gu;

const SINGLE_QUOTES = /[\u2018-\u201b\u2032\u02bc]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f\u2033]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a model is not shown it cannot write
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200c\u2060\ufeff]|\u200d|\ufe0e|\ufe0f/g;

/** Replaces each look-alike character by its common form and removes invisible ones. */
export function foldCharacters(text: string): string {
  return text
    .replace(DOUBLE_QUOTES, '"') // before NFKC, which turns some of them into two characters
    .normalize("NFKC")
    .replace(SINGLE_QUOTES, "'")
    .replace(DASHES, "-")
    .replace(SPACES, " ")
    .replace(UNSEEN, "");
}

/** Yields the smallest parts of a string that can be folded separately. */
function* inseparableParts(text: string): Generator<{ part: string; start: number }> {
  for (const match of text.matchAll(INSEPARABLE)) yield { part: match[0], start: match.index };
}
