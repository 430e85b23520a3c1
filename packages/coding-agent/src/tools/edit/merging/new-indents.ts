import type { Block } from "../matching/block.ts";
import type { Place } from "../matching/place.ts";
import { columns, type Indentation, type IndentPair, indentationOf } from "./indentation.ts";
import type { LineOrigin } from "./pair-lines.ts";
import { Unclear } from "./unclear.ts";

/** Only for comparing which of two indentations is deeper. */
const TAB_WIDTH = 4;

const INDENT = "how far to indent a new line";

export interface IndentTask {
  old: Block;
  fresh: Block;
  place: Place;
  origins: readonly (LineOrigin | undefined)[];
  step: string | undefined;
}

/** The rule between the indentations of the old text and the file. */
export function indentationAt({ old, fresh, place, step }: Pick<IndentTask, "old" | "fresh" | "place" | "step">) {
  const written = [...old.lines, ...fresh.lines].map(({ indent }) => indent);
  const pairs = old.lines.map((line, index): IndentPair => ({ old: line.indent, file: place.lines[index]!.indent }));
  const hints = { written, step };
  // In the middle of a line there is no indentation, and a text may begin behind it.
  const rest = indentationOf(pairs.slice(1), hints);
  if (place.beginsInLine) return { indentation: rest, isFirstTrimmed: true };
  const isTrimmed = pairs[0]!.old === "" && pairs[0]!.file !== "";
  const whole = indentationOf(pairs, hints);
  if (isTrimmed && (pairs.length === 1 || (whole.kind === "irregular" && rest.kind !== "irregular"))) {
    const indentation: Indentation = rest.kind === "same" ? rest : { ...rest, kind: "irregular" };
    return { indentation, isFirstTrimmed: true };
  }
  return { indentation: whole, isFirstTrimmed: false };
}

/** The indentation of every line of the new text in the file. Throws Unclear. */
export function newIndents(task: IndentTask): string[] {
  const { fresh, place, old, origins } = task;
  const { indentation, isFirstTrimmed } = indentationAt(task);
  const indents = fresh.lines.map(({ indent }) => indent);
  const isFileStyle = indentation.kind !== "same" && isInFileStyle(task, isFirstTrimmed);
  const result = indents.map((indent, index) => {
    if (isFileStyle || indentation.kind === "same") return indent;
    const origin = origins[index];
    if (origin && old.lines[origin.index]!.indent === indent) return place.lines[origin.index]!.indent;
    const known = indentation.toFile(indent) ?? sameAsNeighbours(task, index);
    if (known === undefined) throw new Unclear(INDENT);
    return known;
  });
  if (isFirstTrimmed && result.length > 0) {
    const isPlain = indents[0] === old.lines[0]!.indent;
    const first = place.beginsInLine ? "" : place.lines[0]!.indent;
    if (isPlain) result[0] = first;
    if (old.lines.length === 1 && !place.beginsInLine) refuseLessIndented(result, first);
  }
  return result;
}

/** After a single line that was named without its indentation it is not known whether the others lack theirs too. */
function refuseLessIndented(indents: readonly string[], first: string): void {
  if (indents.some((indent) => columns(indent, TAB_WIDTH) < columns(first, TAB_WIDTH))) {
    throw new Unclear(INDENT);
  }
}

/** Between two lines of the old text that were indented alike in the file, a line as far indented as they is like them. */
function sameAsNeighbours({ fresh, old, place, origins }: IndentTask, index: number): string | undefined {
  const { indent } = fresh.lines[index]!;
  const near = (step: 1 | -1): string | undefined => {
    for (let other = index + step; other >= 0 && other < origins.length; other += step) {
      const origin = origins[other];
      if (!origin || fresh.lines[other]!.indent !== indent || old.lines[origin.index]!.indent !== indent) continue;
      return place.lines[origin.index]!.indent;
    }
    return undefined;
  };
  const before = near(-1);
  return before !== undefined && before === near(1) ? before : undefined;
}

/** Whether the new text is indented as the file is, and only the old one was not. Throws Unclear when it is both. */
function isInFileStyle(task: IndentTask, isFirstTrimmed: boolean): boolean {
  const { old, fresh, place } = task;
  const skip = isFirstTrimmed ? 1 : 0;
  const least = (lines: readonly { indent: string }[]) => leastIndent(lines.slice(skip));
  const startsAsOld = least(fresh.lines) === least(old.lines);
  const startsAsFile = least(fresh.lines) === least(place.lines);
  const same = likeness(task, "same", isFirstTrimmed);
  const changed = likeness(task, "changed", isFirstTrimmed);
  const isTorn = (same.asOld > 0 && same.asFile > 0) || (changed.asOld > 0 && changed.asFile > 0);
  if (startsAsOld && !startsAsFile) return false;
  if (isTorn || startsAsFile === startsAsOld ? isTorn : same.asOld + changed.asOld > 0) throw new Unclear(INDENT);
  if (same.asOld > 0) return false;
  if (same.asFile + changed.asFile > 0 && hasStepsOfOld(task)) throw new Unclear(INDENT);
  if (startsAsFile && (same.asFile > 0 || !startsAsOld)) return true;
  if (!startsAsOld) throw new Unclear(INDENT);
  if (changed.asFile > 0) return true;
  const hasSteps = hasStepsOfFile(task);
  if (changed.asOld > 0 && hasSteps) throw new Unclear(INDENT);
  return hasSteps;
}

/** How many lines of the new text are indented as in the old one, and how many as in the file, where these differ. */
function likeness({ old, fresh, place, origins }: IndentTask, kind: LineOrigin["kind"], isFirstTrimmed: boolean) {
  let asOld = 0;
  let asFile = 0;
  for (const [index, origin] of origins.entries()) {
    if (origin?.kind !== kind || (isFirstTrimmed && (index === 0 || origin.index === 0))) continue;
    const [inOld, inFile, inNew] = [old.lines[origin.index]!, place.lines[origin.index]!, fresh.lines[index]!];
    if (inOld.indent === inFile.indent) continue;
    if (inNew.indent === inOld.indent) asOld += 1;
    else if (inNew.indent === inFile.indent) asFile += 1;
  }
  return { asOld, asFile };
}

/** The new text is indented in steps that the file has and the old text has not. */
function hasStepsOfFile({ old, fresh, step }: IndentTask): boolean {
  if (step === undefined) return false;
  return firstStep(fresh.lines) === step && firstStep(old.lines) !== step;
}

/** The reverse: the same first step as the old text, and the file has another. */
function hasStepsOfOld({ old, fresh, place }: IndentTask): boolean {
  const step = firstStep(old.lines);
  return step !== undefined && firstStep(fresh.lines) === step && firstStep(place.lines) !== step;
}

function firstStep(lines: readonly { indent: string }[]): string | undefined {
  return leastIndent(lines.filter(({ indent }) => indent !== ""));
}

function leastIndent(lines: readonly { indent: string }[]): string | undefined {
  const [first, ...others] = lines.map(({ indent }) => indent);
  return others.reduce(
    (least, indent) => (columns(indent, TAB_WIDTH) < columns(least ?? "", TAB_WIDTH) ? indent : least),
    first,
  );
}
