import { createHash } from "node:crypto";
import { terminatedLines } from "@pintle/foundation";
import type { Hunk } from "@pintle/wire";
import { compareLines, type Run } from "./compare-lines.ts";

const CONTEXT_LINES = 3;

/** The lines of two versions and where they differ. */
export interface TextComparison {
  before: readonly string[];
  after: readonly string[];
  runs: readonly Run[];
}

export function compareTexts(before: string, after: string): TextComparison {
  const [old, fresh] = [terminatedLines(before), terminatedLines(after)];
  return { before: old, after: fresh, runs: compareLines(old, fresh) };
}

/** Returns a hunk for each run, with the unchanged lines between two runs shared among their hunks. */
export function hunksOf(path: string, { before, after, runs }: TextComparison): Hunk[] {
  return runs.map((run, index) => {
    const above = run.oldStart - (runs[index - 1]?.oldEnd ?? 0);
    const below = (runs[index + 1]?.oldStart ?? before.length) - run.oldEnd;
    // The upper hunk gets the larger part of a short gap.
    const lead = Math.min(CONTEXT_LINES, index === 0 ? above : Math.floor(above / 2));
    const trail = Math.min(CONTEXT_LINES, index === runs.length - 1 ? below : Math.ceil(below / 2));
    const [oldFrom, oldTo] = [run.oldStart - lead, run.oldEnd + trail];
    const [newFrom, newTo] = [run.newStart - lead, run.newEnd + trail];
    const marked: [sign: string, line: string][] = [
      ...before.slice(oldFrom, run.oldStart).map((line): [string, string] => [" ", line]),
      ...before.slice(run.oldStart, run.oldEnd).map((line): [string, string] => ["-", line]),
      ...after.slice(run.newStart, run.newEnd).map((line): [string, string] => ["+", line]),
      ...before.slice(run.oldEnd, oldTo).map((line): [string, string] => [" ", line]),
    ];
    return {
      hunkId: hunkId(path, { before, after }, run),
      oldStart: oldTo === oldFrom ? oldFrom : oldFrom + 1,
      oldLines: oldTo - oldFrom,
      newStart: newTo === newFrom ? newFrom : newFrom + 1,
      newLines: newTo - newFrom,
      lines: shownLines(marked),
    };
  });
}

/**
 * Identifies a hunk by its path, its position in the old text and its changed lines, so that it keeps its id while other
 * hunks of the file come and go.
 */
export function hunkId(path: string, { before, after }: Omit<TextComparison, "runs">, run: Run): string {
  const removed = before.slice(run.oldStart, run.oldEnd);
  const added = after.slice(run.newStart, run.newEnd);
  const hash = createHash("sha256").update(JSON.stringify([path, run.oldStart, removed, added]));
  return `h_${hash.digest("hex").slice(0, 24)}`;
}

const NO_FINAL_NEWLINE = "\\ No newline at end of file";

/** Shows a carriage return only if some lines of the hunk have one and others have none. */
function shownLines(marked: readonly (readonly [sign: string, line: string])[]): string[] {
  const ending = marked.every(([, line]) => line.endsWith("\r\n") || !line.endsWith("\n")) ? /\r?\n$/ : /\n$/;
  return marked.flatMap(([sign, line]) => {
    const shown = sign + line.replace(ending, "");
    return line.endsWith("\n") ? [shown] : [shown, NO_FINAL_NEWLINE];
  });
}
