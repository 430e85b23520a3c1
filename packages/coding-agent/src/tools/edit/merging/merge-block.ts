import type { TextChange } from "../../shared/numbered-diff.ts";
import type { Block } from "../matching/block.ts";
import { endOfLine } from "../matching/file-lines.ts";
import type { Place } from "../matching/place.ts";
import { newBlankLines } from "./blank-lines.ts";
import { createChangeList } from "./change-list.ts";
import { mergeLine, type Styles, spellLine } from "./merge-line.ts";
import { newIndents } from "./new-indents.ts";
import { type LineOrigin, pairLines } from "./pair-lines.ts";
import { type Style, styleOf } from "./style.ts";
import { tokensOf } from "./tokens.ts";
import { Unclear } from "./unclear.ts";

export interface MergeTask {
  text: string;
  old: Block;
  fresh: Block;
  place: Place;
  step: string | undefined;
  /** What the style of the place is for lines that have no counterpart in the old text. */
  forNewLines(style: Style): Style;
}

/**
 * What takes the new text to the place, in the file's own style: every line that old and new text have in common keeps its
 * bytes, and what differs between old text and file is carried over to the lines that change. Throws Unclear.
 */
export function mergeBlock(task: MergeTask): TextChange[] {
  const { old, fresh, place } = task;
  refuseBordersInLines(task);
  if (fresh.lines.length === 0) return removal(task);
  const origins = pairLines(old.lines, fresh.lines);
  const indents = newIndents({ ...task, origins });
  const blanks = newBlankLines(old, fresh, place, origins);
  const spell = speller(task);

  const first = place.lines[0]!;
  const last = place.lines.at(-1)!;
  const isFollowed = origins.slice(0, -1).some((origin) => origin?.index === old.lines.length - 1);
  const end = old.breaksAtEnd === 0 && !isFollowed ? last.bodyEnd : last.end;
  const out = createChangeList(task.text, first.start);
  const leading = breaksAtStart(task);
  for (const index of fresh.lines.keys()) {
    const origin = origins[index];
    const gap = blanks[index]!;
    if (index > 0) {
      if ("asBefore" in gap) out.copy(place.lines[gap.asBefore - 1]!.end, place.lines[gap.asBefore]!.start);
      else out.insert("\n".repeat(gap.count + 1));
    }
    const inFile = origin && place.lines[origin.index]!;
    const isLast = index === fresh.lines.length - 1;
    if (inFile && origin && isUntouched(task, origin, index, indents[index]!)) {
      out.copy(inFile.start, isLast && inFile === last ? end : inFile.end);
      continue;
    }
    out.insert(indents[index]! + spell(origin, index) + (isLast ? lastTrail(task) : trailOf(task, origin, index)));
  }
  return [...leading, ...out.finish(end), ...breaksAtEnd(task, end)];
}

/** Spaces at the ends of the old text are the file's, but how many of them is not known. */
function refuseBordersInLines({ old, fresh, place }: MergeTask): void {
  const [before, behind] = [old.lines[0]!.indent, old.lines.at(-1)!.trail];
  const isBeginKept = before === (fresh.lines[0]?.indent ?? "");
  const isEndKept = behind === (fresh.lines.at(-1)?.trail ?? "");
  const isCut = (place.beginsInLine && !isBeginKept) || (place.endsInLine && !isEndKept);
  if (isCut || (old.blanks[0]! > 0 && fresh.blanks[0] === 0 && !areEndsWrong(old, place) && place.breaksBefore > 0)) {
    throw new Unclear("which spaces at its ends are to be replaced");
  }
}

function isUntouched(task: MergeTask, { index }: LineOrigin, at: number, indent: string): boolean {
  const [inOld, inNew, inFile] = [task.old.lines[index]!, task.fresh.lines[at]!, task.place.lines[index]!];
  const isSameBody = inOld.body === inNew.body || inFile.body === inNew.body;
  const isSameTrail = inOld.trail === inNew.trail || hasNeedlessTrails(task.old, task.place);
  return isSameBody && isSameTrail && indent === inFile.indent;
}

/** Trailing spaces are the model's or the file's mistake: on a changed line only those stay that the edit itself brings. */
function trailOf({ old, fresh, place }: MergeTask, origin: LineOrigin | undefined, index: number): string {
  const { trail } = fresh.lines[index]!;
  if (trail === "") return "";
  if (origin && trail === old.lines[origin.index]!.trail) return place.lines[origin.index]!.trail;
  return hasNeedlessTrails(old, place) ? "" : ownTrail(old, place, trail);
}

/** A text that is not exact may have spaces too many everywhere; where no line of the old text shows it, only the model knows. */
function ownTrail(old: Block, place: Place, trail: string): string {
  const isShown = old.lines.some((line, at) => line.trail !== "" || place.lines[at]!.trail !== "");
  if (trail !== "" && !isShown) throw new Unclear("whether the spaces at the ends of new lines are meant");
  return trail;
}

function hasNeedlessTrails(old: Block, place: Place): boolean {
  return old.lines.some((line, at) => line.trail !== "" && place.lines[at]!.trail === "");
}

/** What stands behind the old text in its last line is not part of it. */
function lastTrail({ old, fresh, place }: MergeTask): string {
  const { trail } = fresh.lines.at(-1)!;
  if (trail === old.lines.at(-1)!.trail || hasNeedlessTrails(old, place)) return "";
  return ownTrail(old, place, trail);
}

/** A line of this length is the output of a program: it stays or is replaced as a whole. */
const MAX_MERGED = 50_000;

function speller({ old, fresh, place, forNewLines }: MergeTask) {
  const tokenPair = (index: number) => [tokensOf(old.lines[index]!.body), tokensOf(place.lines[index]!.body)] as const;
  let whole: Style | undefined;
  const wholeStyle = () => {
    const differing = old.lines.some((line, index) => line.body !== place.lines[index]!.body);
    const telling = [...old.lines.keys()].filter((index) => differing && place.lines[index]!.body.length <= MAX_MERGED);
    whole ??= forNewLines(styleOf(telling.map(tokenPair)));
    return whole;
  };
  return (origin: LineOrigin | undefined, index: number): string => {
    const { body } = fresh.lines[index]!;
    if (!origin) {
      const moved = old.lines.findIndex((line) => line.body === body);
      return moved === -1 ? spellLine(body, [wholeStyle()]) : place.lines[moved]!.body;
    }
    const [inOld, inFile] = [old.lines[origin.index]!.body, place.lines[origin.index]!.body];
    if (inOld !== body && Math.max(inFile.length, body.length) > MAX_MERGED) throw new Unclear("a line is too long");
    const styles: Styles = [styleOf([tokenPair(origin.index)]), wholeStyle()];
    return mergeLine({ old: inOld, file: inFile, fresh: body }, styles);
  };
}

/** Empty lines that the file does not have around the place were not meant, with or without them in the new text. */
export function areEndsWrong(old: Block, place: Place): boolean {
  return old.blanks[0]! > place.breaksBefore || old.breaksAtEnd > Math.max(1, place.breaksAfter);
}

/** Newlines that old and new text begin with, where they differ in number. Lines are not joined by it. */
function breaksAtStart({ text, old, fresh, place }: MergeTask): TextChange[] {
  const [inOld, inNew] = [old.blanks[0]!, fresh.blanks[0]!];
  const start = place.lines[0]!.start;
  if (inOld === inNew || place.beginsInLine || areEndsWrong(old, place)) return [];
  if (inNew > inOld) return [{ start, end: start, text: "\n".repeat(inNew - inOld) }];
  const present = Math.min(inOld, place.breaksBefore);
  const removed = Math.min(inOld - inNew, present - 1);
  return removed > 0 ? [{ start: back(text, start, removed), end: start, text: "" }] : [];
}

function breaksAtEnd({ text, old, fresh, place }: MergeTask, end: number): TextChange[] {
  const { breaksAtEnd: inOld } = old;
  const { breaksAtEnd: inNew } = fresh;
  if (inOld === inNew || areEndsWrong(old, place)) return [];
  if (inNew > inOld) {
    if (inOld > 0 && place.breaksAfter === 0) return [];
    return [{ start: end, end, text: "\n".repeat(inNew - inOld) }];
  }
  const present = Math.min(inOld, place.breaksAfter);
  const removed = Math.min(inOld - inNew, present - 1);
  return removed > 0 ? [{ start: end, end: forward(text, end, removed), text: "" }] : [];
}

/** The old lines go, with as many line ends as the new text has less than the old one. */
function removal({ text, old, fresh, place }: MergeTask): TextChange[] {
  const first = place.lines[0]!;
  const last = place.lines.at(-1)!;
  if (place.beginsInLine || place.endsInLine) {
    return [{ start: first.bodyStart, end: last.bodyEnd, text: "\n".repeat(fresh.breaksAtEnd) }];
  }
  const named = areEndsWrong(old, place) ? Math.min(1, old.breaksAtEnd) : old.blanks[0]! + old.breaksAtEnd;
  const surplus = Math.max(0, named - fresh.breaksAtEnd);
  const behind = Math.min(surplus, old.breaksAtEnd, place.breaksAfter);
  const isLastLine = old.breaksAtEnd > 0 && place.breaksAfter === 0;
  const before = isLastLine
    ? Math.min(1, surplus, place.breaksBefore)
    : Math.min(surplus - behind, old.blanks[0]!, Math.max(0, place.breaksBefore - 1));
  const start = before > 0 ? back(text, first.start, before) : first.start;
  return [{ start, end: behind > 0 ? forward(text, last.end, behind) : last.end, text: "" }];
}

/** The offset of the newline that is the `count`th before this beginning of a line. */
function back(text: string, start: number, count: number): number {
  let at = start;
  for (let step = 0; step < count; step += 1) at = text.lastIndexOf("\n", at - 1);
  return at;
}

/** The offset behind the `count`th newline from here. */
function forward(text: string, start: number, count: number): number {
  let at = start;
  for (let step = 0; step < count; step += 1) at = endOfLine(text, at) + 1;
  return at;
}
