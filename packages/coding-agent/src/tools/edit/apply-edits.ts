import { errorText } from "@pintle/ai";
import type { TextChange } from "../shared/numbered-diff.ts";
import { type DecodedFile, type LfText, toLf } from "./file-text.ts";
import { fileLines } from "./find-lines.ts";
import { type Edit, type Landing, type Located, locateEdit, type Search } from "./locate-edit.ts";
import { editField, noneAppliedText, overlapText } from "./refusals.ts";

export type { Edit } from "./locate-edit.ts";

export interface EditedText {
  text: string;
  /** The original text with LF line endings, and the changes from top to bottom. */
  before: string;
  changes: TextChange[];
  /** Number of replacements made. */
  replacements: number;
  /** One note per inexact match: `edits[1].oldText matched after indenting by 4`. */
  notes: string[];
}

/** A located change with the index of its edit. */
type IndexedLanding = Landing & { index: number };

/**
 * Applies all edits or throws an Error for the model. Each edit is matched against the original text. Lines that an edit
 * repeats unchanged keep their bytes, like everything outside the edits.
 */
export function applyEdits(file: DecodedFile, edits: readonly Edit[], shownPath: string): EditedText {
  const original = file.text;
  const lf = toLf(original);
  let lines: ReturnType<typeof fileLines> | undefined;
  const search = {
    file,
    text: lf.text,
    shownPath,
    editCount: edits.length,
    lines() {
      lines ??= fileLines(lf.text);
      return lines;
    },
  };
  const located = edits.map((edit, index) => locateOrExplain(search, edit, index));
  const landings = located.flatMap(({ landings: list }, index) => list.map((landing) => ({ ...landing, index })));
  landings.sort((a, b) => a.start - b.start || a.index - b.index);
  refuseOverlaps(landings, shownPath);

  const changes = landings.flatMap((landing) => landing.changes);
  const pieces: string[] = [];
  let kept = 0;
  for (const { start, end, text } of changes) {
    const inserted = lf.lineEnding(start) === "\n" ? text : text.replaceAll("\n", "\r\n");
    pieces.push(original.slice(kept, lf.originalOffset(start)), inserted);
    kept = lf.originalOffset(end);
  }
  pieces.push(original.slice(kept));
  return {
    text: pieces.join(""),
    before: lf.text,
    changes,
    replacements: landings.length,
    notes: [
      ...located.flatMap(({ matchNote }, index) => noteOn(matchNote, index, edits.length)),
      ...noteOnLineEnds(edits, landings, lf),
    ],
  };
}

/** Calls `locateEdit`. If the call has several edits, the error says that none was applied. */
function locateOrExplain(search: Search, edit: Edit, index: number): Located {
  try {
    return locateEdit(search, edit, index);
  } catch (error) {
    if (search.editCount < 2) throw error;
    throw new Error(noneAppliedText(search.editCount, errorText(error)), { cause: error });
  }
}

function noteOn(matchNote: Located["matchNote"], index: number, total: number): string[] {
  if (matchNote === "") return [];
  return [total > 1 ? `${editField("oldText", index, total)} matched ${matchNote}` : `matched ${matchNote}`];
}

function noteOnLineEnds(edits: readonly Edit[], landings: readonly IndexedLanding[], lf: LfText): string[] {
  const isOther = landings.some(({ index, start }) => {
    const texts = edits[index]!.oldText + edits[index]!.newText;
    return lf.lineEnding(start) === "\n" ? texts.includes("\r\n") : /(?<!\r)\n/.test(texts);
  });
  if (!isOther) return [];
  return [`line endings kept (${lf.lineEnding(landings[0]!.start) === "\n" ? "LF" : "CRLF"})`];
}

function refuseOverlaps(sorted: readonly IndexedLanding[], shownPath: string): void {
  for (const [position, { index, end }] of sorted.entries()) {
    const next = sorted[position + 1];
    if (!next || next.start >= end) continue;
    throw new Error(overlapText(shownPath, [Math.min(index, next.index), Math.max(index, next.index)]));
  }
}
