import type { TextChange } from "../shared/numbered-diff.ts";
import { ambiguousText, editField, emptyText, notFoundText, overlapText, unchangedText } from "./edit-errors.ts";
import { createTextFinder, type Span, type TextFinder } from "./find-text.ts";
import { toLf } from "./line-endings.ts";
import type { DecodedFile } from "./text-codec.ts";
import { withoutUnchangedLines } from "./unchanged-lines.ts";

export interface Edit {
  oldText: string;
  newText: string;
}

export interface EditedText {
  text: string;
  /** The text as it was, with newlines only, and what was changed in it, from top to bottom. */
  before: string;
  changes: TextChange[];
}

interface LocatedEdit {
  index: number;
  match: Span;
  change: TextChange;
}

interface Search {
  file: DecodedFile;
  /** The file's text with newlines only. */
  text: string;
  finder: TextFinder;
  shownPath: string;
  editCount: number;
}

/**
 * Applies all edits or throws an Error for the model. Each is looked for in the text as it was. What an edit names but
 * leaves as it is keeps its bytes, like everything outside of the edits.
 */
export function applyEdits(file: DecodedFile, edits: readonly Edit[], shownPath: string): EditedText {
  const original = file.text;
  const lf = toLf(original);
  const finder = createTextFinder(lf.text, file.isCharacters);
  const search: Search = { file, text: lf.text, finder, shownPath, editCount: edits.length };
  const located = edits.map((edit, index) => locate(search, edit, index));
  located.sort((a, b) => a.match.start - b.match.start || a.index - b.index);
  refuseOverlaps(located, shownPath);

  const changes = located.map(({ change }) => change);
  const pieces: string[] = [];
  let kept = 0;
  for (const { start, end, text } of changes) {
    const inserted = lf.lineEnding(start) === "\n" ? text : text.replaceAll("\n", "\r\n");
    pieces.push(original.slice(kept, lf.originalOffset(start)), inserted);
    kept = lf.originalOffset(end);
  }
  pieces.push(original.slice(kept));
  return { text: pieces.join(""), before: lf.text, changes };
}

function locate({ file, text, finder, shownPath, editCount }: Search, edit: Edit, index: number): LocatedEdit {
  const field = editField("oldText", index, editCount);
  const oldText = file.fromModel(edit.oldText).replaceAll("\r\n", "\n");
  const newText = file.fromModel(edit.newText).replaceAll("\r\n", "\n");
  if (oldText === "") throw new Error(emptyText(field));
  if (oldText === newText) throw new Error(unchangedText(shownPath, index, editCount));

  const found = finder.find(oldText);
  if ("count" in found) {
    if (found.count > 0) throw new Error(ambiguousText(field, shownPath, found.count, found.isExact));
    throw new Error(notFoundText(field, shownPath, file, text, oldText));
  }
  const change = withoutUnchangedLines(text, found, oldText, newText);
  if (text.slice(change.start, change.end) === change.text) {
    throw new Error(unchangedText(shownPath, index, editCount));
  }
  return { index, match: found, change };
}

function refuseOverlaps(sorted: readonly LocatedEdit[], shownPath: string): void {
  for (const [position, { index, match }] of sorted.entries()) {
    const next = sorted[position + 1];
    if (!next || next.match.start >= match.end) continue;
    throw new Error(overlapText(shownPath, [Math.min(index, next.index), Math.max(index, next.index)]));
  }
}
