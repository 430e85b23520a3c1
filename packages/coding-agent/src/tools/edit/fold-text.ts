const PLAIN_LINE = /^[\t\x20-\x7e]*$/;
/** Combining marks go with what they stand on, and the parts of a Hangul syllable together: both may become one character. */
const INSEPARABLE = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|\P{M}\p{M}*|\p{M}+/gu;

const SINGLE_QUOTES = /[\u2018-\u201b\u2032\u02bc]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f\u2033]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a model is not shown it cannot write
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2060\ufeff]/g;

function foldCharacters(text: string): string {
  return text
    .replace(DOUBLE_QUOTES, '"') // before NFKC, which makes two of some
    .normalize("NFKC")
    .replace(SINGLE_QUOTES, "'")
    .replace(DASHES, "-")
    .replace(SPACES, " ")
    .replace(UNSEEN, "");
}

/** A line without what models get wrong when they repeat it: look-alike characters, unseen ones, spaces at its end. */
function foldLine(line: string): string {
  return (PLAIN_LINE.test(line) ? line : foldCharacters(line)).trimEnd();
}

/** Line by line, so that lines stay what they are. */
export function foldText(text: string): string {
  return text.split("\n").map(foldLine).join("\n");
}

/**
 * Where a column of the folded line is in the line itself. A start comes after characters that have vanished and an end
 * before them: those stay untouched. Undefined in the middle of what was one character.
 */
export function unfoldColumn(line: string, column: number, side: "start" | "end"): number | undefined {
  const folded = foldLine(line);
  if (side === "start" && column === folded.length) return line.length;
  let foldedLength = 0;
  let offset = 0;
  let found: number | undefined;
  let refolded = "";
  for (const [part] of line.matchAll(INSEPARABLE)) {
    if (foldedLength === column && (side === "start" || found === undefined)) found = offset;
    if (foldedLength > column) break;
    const foldedPart = foldCharacters(part);
    refolded += foldedPart;
    foldedLength += foldedPart.length;
    offset += part.length;
  }
  if (foldedLength === column && (side === "start" || found === undefined)) found = offset;
  // Characters that change each other across the borders of parts cannot be told apart.
  return folded.startsWith(refolded.trimEnd()) ? found : undefined;
}
