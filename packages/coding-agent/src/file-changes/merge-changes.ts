import type { Run } from "./compare-lines.ts";
import { encodeText, type FileState, isSameContent, isSameState, textOf } from "./file-state.ts";
import { compareTexts, type TextComparison } from "./hunks.ts";
import { comparePair } from "./select-hunks.ts";

/** The file after a merge: `state` is undefined if nothing is left at its path. */
export interface Merged {
  state: FileState | undefined;
}

/**
 * Makes the change from `before` to `after` in a file that others have changed since `before`, and keeps their changes.
 * Returns undefined if the two overlap, or if one of them is more than a change of lines.
 */
export function mergeChange(
  before: FileState | undefined,
  after: FileState | undefined,
  current: FileState | undefined,
): Merged | undefined {
  if (isSameState(current, before)) return { state: after };
  if (isSameState(current, after) || isSameState(before, after)) return { state: current };
  if (!before || !after || !current) return undefined;
  const mode = mergeValues(before.mode, after.mode, current.mode);
  const content = mergeContent(before, after, current);
  return mode === undefined || !content ? undefined : { state: { ...content, mode } };
}

/** Returns undefined if both sides have changed the value, each in its own way. */
function mergeValues<T>(before: T, after: T, current: T): T | undefined {
  if (current === before) return after;
  return after === before || after === current ? current : undefined;
}

type Content = Pick<FileState, "type" | "bytes">;

function mergeContent(before: FileState, after: FileState, current: FileState): Content | undefined {
  if (isSameContent(current, before)) return after;
  if (isSameContent(before, after) || isSameContent(current, after)) return current;
  const ours = comparePair({ before, after });
  const text = current.type === "file" ? textOf(current) : undefined;
  if (!ours || text === undefined) return undefined;
  const merged = mergeRuns(ours, compareTexts(ours.before.join(""), text));
  return merged === undefined ? undefined : { type: "file", bytes: encodeText(merged) };
}

interface Replacement {
  start: number;
  end: number;
  text: string;
}

/** Merges two comparisons with the same old lines. Returns undefined if their runs overlap. */
function mergeRuns(ours: TextComparison, theirs: TextComparison): string | undefined {
  const replacements = [ours, theirs].flatMap((side) => side.runs.map((run) => toReplacement(run, side)));
  replacements.sort((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  let at = 0;
  let last: Replacement | undefined;
  for (const replacement of replacements) {
    const { start, end, text } = replacement;
    if (last?.start === start && last.end === end) {
      if (text !== last.text) return undefined;
      continue; // both sides made the same change
    }
    if (start < at) return undefined;
    parts.push(ours.before.slice(at, start).join(""), text);
    at = end;
    last = replacement;
  }
  parts.push(ours.before.slice(at).join(""));
  return parts.join("");
}

function toReplacement({ oldStart, oldEnd, newStart, newEnd }: Run, { after }: TextComparison): Replacement {
  return { start: oldStart, end: oldEnd, text: after.slice(newStart, newEnd).join("") };
}
