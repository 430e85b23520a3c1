import { countLines } from "../../text/cut-to-bytes.ts";
import { terminatedLines } from "../../text/terminated-lines.ts";
import { changedLines } from "../shared/line-hunks.ts";
import type { Edit } from "./find-edits.ts";

const CONTEXT_LINES = 3;

/** Lines that change together, without equal ones at their ends. */
interface Change {
  /** Of the first old line, from 0. */
  at: number;
  before: readonly string[];
  after: readonly string[];
}

/** The hunks of a file's unified diff. Made from the edits, so that its cost does not depend on how much changes. */
export function diffHunks(source: string, edits: readonly Edit[]): string[] {
  const lines = terminatedLines(source);
  const hunks: string[] = [];
  let group: Change[] = [];
  let shift = 0; // how many lines were added before this hunk
  const flush = () => {
    if (group.length === 0) return;
    hunks.push(formatHunk(lines, group, shift));
    for (const { before, after } of group) shift += after.length - before.length;
    group = [];
  };
  for (const change of numberedChanges(source, edits)) {
    const last = group.at(-1);
    if (last && change.at - (last.at + last.before.length) > 2 * CONTEXT_LINES) flush();
    group.push(change);
  }
  flush();
  return hunks;
}

export function diffHeader(shownPath: string): string {
  const [before, after] = shownPath.startsWith("/") ? [shownPath, shownPath] : [`a/${shownPath}`, `b/${shownPath}`];
  return `--- ${before}\n+++ ${after}\n`;
}

/** The hunks by the numbers of their lines. */
function* numberedChanges(source: string, edits: readonly Edit[]): Generator<Change> {
  let line = 0;
  let position = 0;
  for (const { start, end, removed, added } of changedLines(source, edits)) {
    line += countLines(source.slice(position, start));
    yield { at: line, before: removed, after: added };
    line += removed.length;
    position = end;
  }
}

function formatHunk(lines: readonly string[], changes: readonly Change[], shift: number): string {
  const first = changes[0]!;
  const last = changes.at(-1)!;
  const from = Math.max(0, first.at - CONTEXT_LINES);
  const to = Math.min(lines.length, last.at + last.before.length + CONTEXT_LINES);
  const body: string[] = [];
  let next = from;
  let added = 0;
  for (const { at, before, after } of changes) {
    body.push(...lines.slice(next, at).map((line) => mark(" ", line)));
    body.push(...before.map((line) => mark("-", line)), ...after.map((line) => mark("+", line)));
    next = at + before.length;
    added += after.length - before.length;
  }
  body.push(...lines.slice(next, to).map((line) => mark(" ", line)));
  const count = to - from;
  return `@@ -${span(from, count)} +${span(from + shift, count + added)} @@\n${body.join("")}`;
}

function mark(sign: string, line: string): string {
  return line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
}

/** An empty range is named by the line before it. */
function span(from: number, count: number): string {
  return count === 0 ? `${from},0` : `${from + 1},${count}`;
}
