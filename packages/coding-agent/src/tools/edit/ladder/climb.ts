import type { TextChange } from "../../shared/numbered-diff.ts";
import { type Block, blockOf } from "../matching/block.ts";
import type { FileLines } from "../matching/file-lines.ts";
import { findLines } from "../matching/find-lines.ts";
import { type Place, placeAt } from "../matching/place.ts";
import { indentStep } from "../merging/indent-step.ts";
import type { Indentation } from "../merging/indentation.ts";
import { mergeBlock } from "../merging/merge-block.ts";
import { indentationAt } from "../merging/new-indents.ts";
import { styleOfNewLines } from "../merging/new-line-style.ts";
import { Unclear } from "../merging/unclear.ts";
import { type Difference, differencesAt, listOf, weightOf } from "./differences.ts";

/** More places than this are not compared: the text is not unique. */
export const MAX_PLACES = 50;
/** Nor are several in so long lines. */
const MAX_COMPARED = 1_000_000;

export interface LadderTask {
  file: FileLines;
  oldText: string;
  newText: string;
  isProse: boolean;
  replaceAll: boolean;
}

/** A place that was found, and what is done there. */
export interface Landing {
  start: number;
  end: number;
  changes: TextChange[];
  /** In what the old text differs, for the result. */
  told: string;
}

export type Climb =
  | { kind: "landed"; landings: Landing[] }
  | { kind: "several"; lines: number[]; isCut: boolean; told: string }
  | { kind: "unclear"; firstNumber: number; lastNumber: number; told: string; reason: string }
  | { kind: "none" };

interface Candidate {
  place: Place;
  indentation: Indentation;
  differences: ReadonlySet<Difference>;
  step: string | undefined;
}

/**
 * Looks for an old text that the file does not have as it is, but in another spelling. All places with the same normal lines
 * are compared; the one that differs least is it, if there is only one such.
 */
export function climb(task: LadderTask): Climb {
  const old = blockOf(task.oldText);
  const fresh = blockOf(task.newText);
  const wanted = old.lines.map(({ normal }) => normal);
  if (wanted.length === 0) return { kind: "none" };
  const { places, isCut } = findLines(task.file.normals, wanted, MAX_PLACES);
  const [numbers, normals] = [task.file.numbers, task.file.normals];
  if (places.length > 1 && places.reduce((sum, { line }) => sum + normals[line]!.length, 0) > MAX_COMPARED) {
    return { kind: "several", lines: places.map(({ line }) => numbers[line]!), isCut, told: "apart from spaces" };
  }
  const candidates = places.flatMap((place): Candidate[] => {
    const found = placeAt(task.file, place, wanted.length);
    return found ? candidateAt(task.file, old, fresh, found) : [];
  });
  const [lightest] = candidates.toSorted((a, b) => weightOf(a.differences) - weightOf(b.differences));
  if (!lightest) return { kind: "none" };
  const best = candidates.filter(({ differences }) => weightOf(differences) === weightOf(lightest.differences));
  const isPartial = lightest.place.beginsInLine || lightest.place.endsInLine;
  const isAmbiguous = best.length > 1 || isCut || (isPartial && candidates.length > 1);
  if (isAmbiguous && (!task.replaceAll || isCut)) {
    const all = best.length > 1 ? best : candidates;
    return { kind: "several", lines: all.map(({ place }) => place.firstNumber), isCut, told: toldOf(lightest) };
  }
  return land(task, old, fresh, task.replaceAll ? best : [lightest]);
}

function candidateAt(file: FileLines, old: Block, fresh: Block, place: Place): Candidate[] {
  const step = indentStep(file, place.lines[0]!.start);
  const { indentation } = indentationAt({ old, fresh, place, step });
  const differences = differencesAt(old, place, indentation);
  return differences ? [{ place, indentation, differences, step }] : [];
}

function land(task: LadderTask, old: Block, fresh: Block, candidates: readonly Candidate[]): Climb {
  const landings: Landing[] = [];
  for (const candidate of candidates) {
    const { place, step } = candidate;
    const [start, end] = [place.lines[0]!.start, place.lines.at(-1)!.bodyEnd];
    const { text } = task.file;
    try {
      const changes = mergeBlock({
        text,
        old,
        fresh,
        place,
        step,
        forNewLines: (style) => styleOfNewLines(style, { text, start, end, isProse: task.isProse }),
      });
      landings.push({
        start: Math.min(start, changes[0]?.start ?? start),
        end: Math.max(end, changes.at(-1)?.end ?? end),
        changes: changes.filter((change) => text.slice(change.start, change.end) !== change.text),
        told: toldOf(candidate),
      });
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      const { firstNumber, lastNumber } = place;
      return { kind: "unclear", firstNumber, lastNumber, told: toldOf(candidate), reason: error.message };
    }
  }
  return { kind: "landed", landings };
}

/** "after indenting by 4, apart from quotes". */
function toldOf({ indentation, differences }: Candidate): string {
  const list = listOf(differences);
  return (
    [indentation.told, list && `apart from ${list}`].filter((part) => part !== "").join(", ") || "apart from spaces"
  );
}
