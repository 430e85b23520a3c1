import { diffArrays } from "diff";

/** A run of changed lines: half-open ranges of line indexes in the old and the new text. */
export interface Run {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

/** Limits the search for the shortest difference, which takes quadratic time. The result is correct without it. */
const MAX_STEPS = 2_000_000;
const MAX_EDITS = 1_000;
const MAX_DEPTH = 16;

interface Budget {
  steps: number;
}

/**
 * Returns where two lists of lines differ, in order; runs do not touch each other. Lines that occur once on both sides
 * are matched first, so that a moved brace does not pair unrelated blocks. Depends on the lines alone: equal input gives
 * equal runs.
 */
export function compareLines(before: readonly string[], after: readonly string[]): Run[] {
  const runs: Run[] = [];
  const whole = { oldStart: 0, oldEnd: before.length, newStart: 0, newEnd: after.length };
  compare(before, after, whole, { steps: MAX_STEPS }, MAX_DEPTH, (run) => {
    const last = runs.at(-1);
    if (last && last.oldEnd === run.oldStart && last.newEnd === run.newStart) {
      last.oldEnd = run.oldEnd;
      last.newEnd = run.newEnd;
    } else runs.push(run);
  });
  return runs;
}

type Add = (run: Run) => void;

function compare(
  before: readonly string[],
  after: readonly string[],
  range: Run,
  budget: Budget,
  depth: number,
  add: Add,
): void {
  const { oldStart, oldEnd, newStart, newEnd } = withoutSameEnds(before, after, range);
  const [removed, added] = [oldEnd - oldStart, newEnd - newStart];
  if (removed === 0 && added === 0) return;
  const changed = { oldStart, oldEnd, newStart, newEnd };
  const isOneSided = removed === 0 || added === 0;
  const anchors = isOneSided || depth === 0 ? [] : uniqueMatches(before, after, changed);
  if (anchors.length === 0) {
    if (isOneSided) add(changed);
    else addShortest(before, after, changed, budget, add);
    return;
  }
  let [oldAt, newAt] = [oldStart, newStart];
  for (const [oldIndex, newIndex] of [...anchors, [oldEnd, newEnd] as const]) {
    const gap = { oldStart: oldAt, oldEnd: oldIndex, newStart: newAt, newEnd: newIndex };
    compare(before, after, gap, budget, depth - 1, add);
    [oldAt, newAt] = [oldIndex + 1, newIndex + 1];
  }
}

function withoutSameEnds(before: readonly string[], after: readonly string[], range: Run): Run {
  let { oldStart, oldEnd, newStart, newEnd } = range;
  while (oldStart < oldEnd && newStart < newEnd && before[oldStart] === after[newStart]) {
    oldStart += 1;
    newStart += 1;
  }
  while (oldStart < oldEnd && newStart < newEnd && before[oldEnd - 1] === after[newEnd - 1]) {
    oldEnd -= 1;
    newEnd -= 1;
  }
  return { oldStart, oldEnd, newStart, newEnd };
}

type Match = readonly [oldIndex: number, newIndex: number];

/** Returns the longest list of lines, in order on both sides, that occur exactly once on each. */
function uniqueMatches(before: readonly string[], after: readonly string[], range: Run): Match[] {
  const old = uniqueLines(before, range.oldStart, range.oldEnd);
  const fresh = uniqueLines(after, range.newStart, range.newEnd);
  const matches: Match[] = [];
  for (const [line, oldIndex] of old) {
    const newIndex = fresh.get(line);
    if (oldIndex >= 0 && newIndex !== undefined && newIndex >= 0) matches.push([oldIndex, newIndex]);
  }
  return longestRise(matches);
}

/** Maps each line to its index, or to -1 if it occurs more than once. In order of the first occurrence. */
function uniqueLines(lines: readonly string[], start: number, end: number): Map<string, number> {
  const found = new Map<string, number>();
  for (let index = start; index < end; index += 1) {
    const line = lines[index]!;
    found.set(line, found.has(line) ? -1 : index);
  }
  return found;
}

/** Returns a longest subsequence in which the second numbers increase; the first ones already do. */
function longestRise(matches: readonly Match[]): Match[] {
  const piles: number[] = []; // for each length, the index of the match with the smallest end
  const previous: number[] = [];
  for (const [index, [, newIndex]] of matches.entries()) {
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (matches[piles[middle]!]![1] < newIndex) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? piles[low - 1]! : -1;
    piles[low] = index;
  }
  const rise: Match[] = [];
  for (let index = piles.at(-1) ?? -1; index >= 0; index = previous[index]!) rise.push(matches[index]!);
  return rise.reverse();
}

function addShortest(before: readonly string[], after: readonly string[], range: Run, budget: Budget, add: Add): void {
  const { oldStart, oldEnd, newStart, newEnd } = range;
  const maxEditLength = Math.min(MAX_EDITS, Math.floor(Math.sqrt(budget.steps)));
  const parts = diffArrays(before.slice(oldStart, oldEnd), after.slice(newStart, newEnd), { maxEditLength });
  const edits = parts?.reduce((sum, part) => sum + (part.added || part.removed ? part.count : 0), 0) ?? maxEditLength;
  budget.steps = Math.max(0, budget.steps - edits * edits);
  if (!parts) {
    add(range);
    return;
  }
  let [oldAt, newAt] = [oldStart, newStart];
  for (const { added, removed, count } of parts) {
    const [oldNext, newNext] = [oldAt + (added ? 0 : count), newAt + (removed ? 0 : count)];
    if (added || removed) add({ oldStart: oldAt, oldEnd: oldNext, newStart: newAt, newEnd: newNext });
    [oldAt, newAt] = [oldNext, newNext];
  }
}
