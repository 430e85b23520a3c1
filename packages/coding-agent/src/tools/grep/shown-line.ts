import { toPlainText } from "../../processes/output/terminal-text.ts";

export const MAX_LINE_CHARACTERS = 500;
/** What is shown before a match that is far to the right. */
const LEAD_CHARACTERS = 100;
const CUT = "…";

export interface ShownLine {
  text: string;
  isCut: boolean;
}

/** A line as a result shows it: without control characters, and of a long one the part around the match. */
export function showLine(raw: Buffer, matchStart: number): ShownLine {
  const { part, isCut } = partAround(raw, matchStart);
  return { text: toPlainText(Buffer.from(part), { hasStart: true, hasEnd: true }).trimEnd(), isCut };
}

function partAround(raw: Buffer, matchStart: number): { part: string; isCut: boolean } {
  const line = raw.toString();
  if (line.length <= MAX_LINE_CHARACTERS) return { part: line, isCut: false };
  const match = raw.toString("utf8", 0, matchStart).length;
  const isNearStart = match + LEAD_CHARACTERS <= MAX_LINE_CHARACTERS;
  const wanted = isNearStart ? 0 : Math.min(match - LEAD_CHARACTERS, line.length - MAX_LINE_CHARACTERS);
  const start = isLowSurrogate(line, wanted) ? wanted + 1 : wanted;
  const limit = start + MAX_LINE_CHARACTERS;
  const end = isLowSurrogate(line, limit) ? limit - 1 : limit;
  const part = `${start > 0 ? CUT : ""}${line.slice(start, end)}${end < line.length ? CUT : ""}`;
  return { part, isCut: true };
}

/** The text must not be cut between the halves of a character. */
function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

const NEWLINE = 0x0a;

/** The last line may lack its newline; no text is one empty line. */
export function splitLines(raw: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < raw.length || lines.length === 0; ) {
    const newline = raw.indexOf(NEWLINE, start);
    const end = newline === -1 ? raw.length : newline;
    lines.push(raw.subarray(start, end));
    start = end + 1;
  }
  return lines;
}
