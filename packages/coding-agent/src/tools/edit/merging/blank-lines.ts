import type { Block } from "../matching/block.ts";
import type { Place } from "../matching/place.ts";
import type { LineOrigin } from "./pair-lines.ts";
import { Unclear } from "./unclear.ts";

/** Empty lines between two lines of the result: as many, or those that the file has before this line of the place. */
export type BlankLines = { count: number } | { asBefore: number };

const MAX_SURE_LINES = 3;

type Origins = readonly (LineOrigin | undefined)[];

/**
 * The empty lines before each line of the new text but the first. Where old and new text have the same number, the file's
 * stay, also when it is another. Throws Unclear.
 */
export function newBlankLines(old: Block, fresh: Block, place: Place, origins: Origins): BlankLines[] {
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
    // Among many new lines some empty ones may be missing as well.
    if (isShort && run[1] - run[0] > MAX_SURE_LINES) throw new Unclear("where the empty lines go");
    // Empty lines where the old text has none are the edit's own, or show that the new text has them as the file does.
    const isShown =
      isInsertion && old.blanks[gaps[0]!] === 0 && fresh.blanks.slice(...run).some((blanks) => blanks > 0);
    if (isShown) return { count: habitOf(habits, count) };
    const inFile = [...new Set(gaps.filter((gap) => old.blanks[gap] === count).map((gap) => place.blanks[gap]!))];
    // Empty lines that only the file has may belong to either side of what is inserted among them.
    const isDivided = isInsertion && count === 0 && inFile.some((blanks) => blanks > 0);
    if (inFile.length > 1 || isDivided) throw new Unclear("where the empty lines go");
    if (inFile[0] !== undefined) return { count: inFile[0] };
    return { count: habitOf(habits, count) };
  });
}

function habitOf(habits: ReadonlyMap<number, number | "several">, count: number): number {
  const habit = count === 0 ? 0 : (habits.get(count) ?? count);
  if (habit === "several") throw new Unclear("where the empty lines go");
  return habit;
}

/** Beside an insertion: the empty lines that the file has there, which may have spaces in them. */
function sameAsFile(old: Block, count: number, before: number | undefined, here: number | undefined) {
  if (count === 0) return undefined;
  if (before !== undefined && old.blanks[before + 1] === count) return { asBefore: before + 1 };
  if (here !== undefined && here > 0 && old.blanks[here] === count) return { asBefore: here };
  return undefined;
}

interface OldGaps {
  gaps: number[];
  /** Nothing goes between the lines around. */
  isInsertion: boolean;
  /** The gaps of the new text between the same lines. */
  run: [start: number, end: number];
}

/** The gaps of the old text that a gap of the new one may stand for. */
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
