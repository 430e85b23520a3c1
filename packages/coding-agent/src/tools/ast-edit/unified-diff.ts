import { applyEdits, type Edit } from "./find-edits.ts";

const CONTEXT_LINES = 3;

/** Lines that change together, without equal ones at their ends. */
interface Change {
  /** Of the first old line, from 0. */
  at: number;
  before: string[];
  after: string[];
}

/** The hunks of a file's unified diff. Made from the edits, so that its cost does not depend on how much changes. */
export function diffHunks(source: string, edits: readonly Edit[]): string[] {
  const lines = splitLines(source);
  const hunks: string[] = [];
  let group: Change[] = [];
  let shift = 0; // how many lines were added before this hunk
  const flush = () => {
    if (group.length === 0) return;
    hunks.push(formatHunk(lines, group, shift));
    for (const { before, after } of group) shift += after.length - before.length;
    group = [];
  };
  for (const change of findChanges(source, lines, edits)) {
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

function findChanges(source: string, lines: readonly string[], edits: readonly Edit[]): Change[] {
  const changes: Change[] = [];
  let line = 0;
  let lineStart = 0;
  let index = 0;
  while (index < edits.length) {
    const first = edits[index]!;
    while (line < lines.length - 1 && lineStart + lines[line]!.length <= first.start)
      lineStart += lines[line++]!.length;
    const at = line;
    const start = lineStart;
    let end = lineStart + (lines[line]?.length ?? 0);
    const touched: Edit[] = [];
    // An edit that begins on a line which this change has taken in belongs to it.
    for (let edit = edits[index]; edit && (edit === first || edit.start < end); edit = edits[++index]) {
      touched.push({ ...edit, start: edit.start - start, end: edit.end - start });
      while (end < edit.end || (end === edit.end && line < lines.length - 1)) {
        lineStart = end;
        end += lines[++line]?.length ?? 0;
      }
    }
    const before = source.slice(start, end);
    changes.push(trimEqualEnds(at, splitLines(before), splitLines(applyEdits(before, touched))));
  }
  return changes.filter(({ before, after }) => before.length + after.length > 0);
}

function trimEqualEnds(at: number, before: string[], after: string[]): Change {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return {
    at: at + head,
    before: before.slice(head, before.length - tail),
    after: after.slice(head, after.length - tail),
  };
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

/** With their line breaks; nothing after the last one. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}
