import { cutAt, oneLine } from "../ast/short-line.ts";
import type { Match } from "./matches.ts";

const MAX_LINE_CHARACTERS = 500;
/** Of a longer line this much is shown before the match. */
const LEAD_CHARACTERS = 100;
const MAX_MATCH_LINES = 20;

/** The matches of one file with their lines, `context` lines around each, and what was captured. */
export function matchLines(source: string, matches: readonly Match[], context: number): string[] {
  const lines = source.split("\n");
  const shown: string[] = [];
  let next = 0; // the first line that was not shown yet
  const show = (from: number, to: number, separator: string) => {
    for (let line = Math.max(from, next); line < Math.min(to, lines.length); line += 1) {
      shown.push(`   ${line + 1}${separator} ${shorten(lines[line] ?? "", 0)}`);
      next = line + 1;
    }
  };
  for (const [index, { firstLine, lastLine, column, captures }] of matches.entries()) {
    show(firstLine - context, firstLine, "-");
    shown.push(`>> ${firstLine + 1}: ${shorten(lines[firstLine] ?? "", column)}`);
    next = Math.max(next, firstLine + 1);
    const following = matches[index + 1]?.firstLine ?? Number.POSITIVE_INFINITY;
    const lastShown = Math.min(lastLine, firstLine + MAX_MATCH_LINES - 1);
    show(firstLine + 1, Math.min(lastShown + 1, following), ":");
    if (lastShown < lastLine && lastShown < following) shown.push(`   … (+${lastLine - lastShown} lines)`);
    if (captures.length > 0) shown.push(`   captures: ${captures.join(", ")}`);
    if (lastShown === lastLine) show(lastLine + 1, Math.min(lastLine + 1 + context, following), "-");
  }
  return shown;
}

function shorten(line: string, column: number): string {
  const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (plain.length <= MAX_LINE_CHARACTERS) return oneLine(plain);
  const from = column < MAX_LINE_CHARACTERS - LEAD_CHARACTERS ? 0 : column - LEAD_CHARACTERS;
  const rest = plain.slice(from);
  const cut = cutAt(rest, MAX_LINE_CHARACTERS);
  return `${from > 0 ? "…" : ""}${oneLine(cut)}${cut.length < rest.length ? "…" : ""}`;
}
