import { terminatedLines } from "../../text/terminated-lines.ts";
import type { TextChange } from "../shared/numbered-diff.ts";
import { align } from "./merging/align.ts";
import { createChangeList } from "./merging/change-list.ts";

/** Counting each of a million places of a dash would take its time, and is of no use. */
export const MAX_COUNTED = 1000;

/** Where a text begins, at most MAX_COUNTED times. Overlapping ones count too: which of them was meant is just as unclear. */
export function occurrences(text: string, wanted: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1 && starts.length < MAX_COUNTED; at = text.indexOf(wanted, at + 1)) {
    starts.push(at);
  }
  return starts;
}

/** All that do not overlap, from the beginning. */
export function everyOccurrence(text: string, wanted: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) starts.push(at);
  return starts;
}

/** The replacement without the lines that the model repeated only to name the place: their line ends are the file's. */
export function exactChanges(text: string, start: number, oldText: string, newText: string): TextChange[] {
  const oldLines = terminatedLines(oldText);
  const newLines = terminatedLines(newText);
  const origins = align(oldLines, newLines, (line) => line.length);
  const offsets = [start];
  for (const line of oldLines) offsets.push(offsets.at(-1)! + line.length);
  const out = createChangeList(text, start);
  for (const [index, line] of newLines.entries()) {
    const origin = origins[index]!;
    if (origin === -1) out.insert(line);
    else out.copy(offsets[origin]!, offsets[origin + 1]!);
  }
  return out.finish(start + oldText.length);
}
