import type { TextChange } from "../shared/numbered-diff.ts";
import { createChangeList, type LineOrigin, pairLines } from "./align.ts";
import { type Block, endOfLine, type Place } from "./find-lines.ts";
import { newIndents } from "./indentation.ts";
import { mergeLine, type Styles, spellLine } from "./merge-line.ts";
import { type Style, styleOf, tokensOf, Unclear } from "./style.ts";

interface MergeTask {
  text: string;
  old: Block;
  fresh: Block;
  place: Place;
  step: string | undefined;
  /** Applies the style of the place to lines without a counterpart in the old text. */
  forNewLines(style: Style): Style;
}

/**
 * Returns the changes that insert the new text in the file's style. Lines that old and new text share keep their bytes, and
 * changed lines take over the differences between old text and file. Throws Unclear.
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

/** Throws Unclear if the edit changes spaces at the ends of the old text, because the file may have more of them. */
function refuseBordersInLines({ old, fresh, place }: MergeTask): void {
  const [before, behind] = [old.lines[0]!.indent, old.lines.at(-1)!.trail];
  const isBeginKept = before === (fresh.lines[0]?.indent ?? "");
  const isEndKept = behind === (fresh.lines.at(-1)?.trail ?? "");
  const isCut = (place.beginsInLine && !isBeginKept) || (place.endsInLine && !isEndKept);
  if (isCut || (old.blanks[0]! > 0 && fresh.blanks[0] === 0 && !areEndsWrong(old, place) && place.breaksBefore > 0)) {
    throw new Unclear("which spaces around the text to replace");
  }
}

function isUntouched(task: MergeTask, { index }: LineOrigin, at: number, indent: string): boolean {
  const [inOld, inNew, inFile] = [task.old.lines[index]!, task.fresh.lines[at]!, task.place.lines[index]!];
  const isSameBody = inOld.body === inNew.body || inFile.body === inNew.body;
  const isSameTrail = inOld.trail === inNew.trail || hasNeedlessTrails(task.old, task.place);
  return isSameBody && isSameTrail && indent === inFile.indent;
}

/**
 * Returns the trailing spaces of a new line: the file's if old and new text have the same, otherwise those of the new text,
 * which may be deliberate. If the old text has trailing spaces that the file lacks, those of new lines are a mistake too,
 * except in a template literal.
 */
function trailOf(task: MergeTask, origin: LineOrigin | undefined, index: number): string {
  const { old, fresh, place } = task;
  const { trail } = fresh.lines[index]!;
  if (trail === "") return "";
  if (origin && trail === old.lines[origin.index]!.trail) return place.lines[origin.index]!.trail;
  return hasNeedlessTrails(old, place) && !isInLiteral(task, index) ? "" : trail;
}

/** Whether a line of the new text ends inside a template literal, whose spaces are part of its value. */
function isInLiteral({ text, fresh, place }: MergeTask, index: number): boolean {
  const before = text.slice(0, place.lines[0]!.start);
  const own = fresh.lines.slice(0, index + 1).map(({ body }) => body);
  return [before, ...own].join("\n").replaceAll(/\\./gs, "").split("`").length % 2 === 0;
}

function hasNeedlessTrails(old: Block, place: Place): boolean {
  return old.lines.some((line, at) => line.trail !== "" && place.lines[at]!.trail === "");
}

/** Returns the trailing spaces of the last line. Spaces after the old text in that line are not part of it. */
function lastTrail({ old, fresh, place }: MergeTask): string {
  const { trail } = fresh.lines.at(-1)!;
  return trail === old.lines.at(-1)!.trail || hasNeedlessTrails(old, place) ? "" : trail;
}

/** Longer lines are probably generated, so they are kept or replaced as a whole. */
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
  const isOnlyInKept = differsOnlyInKept(old, fresh, place);
  const spell = (origin: LineOrigin | undefined, index: number): string => {
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
  return (origin: LineOrigin | undefined, index: number): string => {
    try {
      return spell(origin, index);
    } catch (error) {
      const isGivenExactly = !origin || old.lines[origin.index]!.body === place.lines[origin.index]!.body;
      if (error instanceof Unclear && isOnlyInKept && isGivenExactly) return fresh.lines[index]!.body;
      throw error;
    }
  };
}

/**
 * Whether old text and file differ only in lines that the edit keeps, and only by additional spaces in the file. The other
 * lines are then used as given. Any other difference may affect the new text as well.
 */
function differsOnlyInKept(old: Block, fresh: Block, place: Place): boolean {
  const kept = new Set(fresh.lines.map(({ body }) => body));
  return old.lines.every(({ body }, index) => {
    const inFile = place.lines[index]!.body;
    return body === inFile || (kept.has(body) && hasOnlyMoreSpaces(body, inFile));
  });
}

function hasOnlyMoreSpaces(old: string, file: string): boolean {
  const inFile = tokensOf(file);
  return tokensOf(old).every(({ raw, gap }, index) => {
    const other = inFile[index];
    return raw === other?.raw && (gap === other.gap || (gap === " " && /^ {2,}$/.test(other.gap)));
  });
}

/** Whether the old text starts or ends with empty lines that the file lacks there. */
export function areEndsWrong(old: Block, place: Place): boolean {
  return old.blanks[0]! > place.breaksBefore || old.breaksAtEnd > Math.max(1, place.breaksAfter);
}

/** Adds or removes newlines before the place if old and new text start with different numbers of them. Never joins lines. */
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

/** Removes the old lines and as many line endings as the new text lacks compared with the old one. */
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

/** Returns the offset of the `count`th newline before the beginning of a line. */
function back(text: string, start: number, count: number): number {
  let at = start;
  for (let step = 0; step < count; step += 1) at = text.lastIndexOf("\n", at - 1);
  return at;
}

/** Returns the offset after the `count`th newline from here. */
function forward(text: string, start: number, count: number): number {
  let at = start;
  for (let step = 0; step < count; step += 1) at = endOfLine(text, at) + 1;
  return at;
}

/** Empty lines between two lines of the result: a number, or the file's own before this line of the place. */
type BlankLines = { count: number } | { asBefore: number };

const MAX_SURE_LINES = 3;

type Origins = readonly (LineOrigin | undefined)[];

/**
 * Returns the empty lines before each line of the new text except the first. Where old and new text have the same number of
 * them, the file keeps its own, even if it has more or fewer. Throws Unclear.
 */
function newBlankLines(old: Block, fresh: Block, place: Place, origins: Origins): BlankLines[] {
  const isSame = old.blanks.every((count, index) => index === 0 || count === place.blanks[index]);
  const habits = habitsOf(old, place);
  const isShort = !isSame && fresh.blanks.every((count) => count === 0);
  return fresh.blanks.map((count, index): BlankLines => {
    if (index === 0) return { count: 0 };
    const before = origins[index - 1]?.index;
    const here = origins[index]?.index;
    if (before !== undefined && here === before + 1 && count === old.blanks[here]) return { asBefore: here };
    if (isSame) return sameAsFile(old, count, before, here) ?? { count };

    const { gaps, isInsertion, run } = gapsOfOld(origins, index, old.lines.length);
    // A model that omits empty lines may also have omitted some among many new lines.
    if (isShort && run[1] - run[0] > MAX_SURE_LINES) throw new Unclear("where the empty lines belong");
    // Empty lines where the old text has none are deliberate, or show that the new text follows the file.
    const isShown =
      isInsertion && old.blanks[gaps[0]!] === 0 && fresh.blanks.slice(...run).some((blanks) => blanks > 0);
    if (isShown) return { count: habitOf(habits, count) };
    const inFile = [...new Set(gaps.filter((gap) => old.blanks[gap] === count).map((gap) => place.blanks[gap]!))];
    // Empty lines that only the file has may belong before or after the inserted text.
    const isDivided = isInsertion && count === 0 && inFile.some((blanks) => blanks > 0);
    if (inFile.length > 1 || isDivided) throw new Unclear("where the empty lines belong");
    if (inFile[0] !== undefined) return { count: inFile[0] };
    return { count: habitOf(habits, count) };
  });
}

function habitOf(habits: ReadonlyMap<number, number | "several">, count: number): number {
  const habit = count === 0 ? 0 : (habits.get(count) ?? count);
  if (habit === "several") throw new Unclear("where the empty lines belong");
  return habit;
}

/** Keeps the file's empty lines next to an insertion, because they may contain spaces. */
function sameAsFile(old: Block, count: number, before: number | undefined, here: number | undefined) {
  if (count === 0) return undefined;
  if (before !== undefined && old.blanks[before + 1] === count) return { asBefore: before + 1 };
  if (here !== undefined && here > 0 && old.blanks[here] === count) return { asBefore: here };
  return undefined;
}

interface OldGaps {
  gaps: number[];
  /** Whether nothing is removed between the surrounding lines. */
  isInsertion: boolean;
  /** Gaps of the new text between the same lines. */
  run: [start: number, end: number];
}

/** Returns the gaps of the old text to which a gap of the new text may correspond. */
function gapsOfOld(origins: Origins, index: number, oldCount: number): OldGaps {
  let before = index - 1;
  while (before >= 0 && !origins[before]) before -= 1;
  let after = index;
  while (after < origins.length && !origins[after]) after += 1;
  const first = (origins[before]?.index ?? -1) + 1;
  const last = origins[after]?.index ?? oldCount;
  const isInsertion = first === last;
  const run: [number, number] = [before + 1, after + 1];
  if (isInsertion) return { gaps: [first], isInsertion, run };
  const gaps: number[] = [];
  if (before === index - 1) gaps.push(first);
  if (after === index) gaps.push(last);
  if (gaps.length === 0) for (let gap = first + 1; gap < last; gap += 1) gaps.push(gap);
  return { gaps: gaps.filter((gap) => gap > 0 && gap < oldCount), isInsertion, run };
}

function habitsOf(old: Block, place: Place): Map<number, number | "several"> {
  const habits = new Map<number, number | "several">();
  for (const [index, count] of old.blanks.entries()) {
    if (index === 0) continue;
    const inFile = place.blanks[index]!;
    habits.set(count, habits.has(count) && habits.get(count) !== inFile ? "several" : inFile);
  }
  return habits;
}
