import type { TextChange } from "../shared/numbered-diff.ts";
import type { BlockLine } from "./find-lines.ts";

/** With more pairs to compare than this, only the common beginning and end are aligned. */
const MAX_PAIRS = 4_000_000;

/**
 * Returns for each item of `after` the index of the same item in `before`, or -1. Together they are the common subsequence
 * with the largest sum of weights.
 */
export function align(
  before: readonly string[],
  after: readonly string[],
  weight: (item: string) => number = () => 1,
): number[] {
  const aligned = new Array<number>(after.length).fill(-1);
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) aligned[head] = head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) {
    tail += 1;
    aligned[after.length - tail] = before.length - tail;
  }
  const rows = before.length - head - tail;
  const columns = after.length - head - tail;
  if (rows === 0 || columns === 0 || rows * columns > MAX_PAIRS) return aligned;
  alignMiddle(before.slice(head, head + rows), after.slice(head, head + columns), weight, (from, to) => {
    aligned[head + to] = head + from;
  });
  return aligned;
}

function alignMiddle(
  before: readonly string[],
  after: readonly string[],
  weight: (item: string) => number,
  pair: (from: number, to: number) => void,
): void {
  const width = after.length + 1;
  const best = new Uint32Array((before.length + 1) * width); // best sum from each pair of positions to the ends
  for (let from = before.length - 1; from >= 0; from -= 1) {
    for (let to = after.length - 1; to >= 0; to -= 1) {
      const without = Math.max(best[(from + 1) * width + to]!, best[from * width + to + 1]!);
      const joined = before[from] === after[to] ? best[(from + 1) * width + to + 1]! + weight(before[from]!) : 0;
      best[from * width + to] = Math.max(without, joined);
    }
  }
  let from = 0;
  let to = 0;
  while (from < before.length && to < after.length) {
    const here = best[from * width + to]!;
    if (before[from] === after[to] && here === best[(from + 1) * width + to + 1]! + weight(before[from]!)) {
      pair(from++, to++);
    } else if (here === best[(from + 1) * width + to]!) from += 1;
    else to += 1;
  }
}

/** Lines less similar than this are unrelated. */
const MIN_LIKENESS = 0.4;
const MAX_COMPARED = 10_000;

/** Links a line of the new text to the line of the old text that it repeats (`same`) or modifies (`changed`). */
export interface LineOrigin {
  index: number;
  kind: "same" | "changed";
}

export function pairLines(old: readonly BlockLine[], fresh: readonly BlockLine[]): (LineOrigin | undefined)[] {
  const same = align(
    old.map(({ normal }) => normal),
    fresh.map(({ normal }) => normal),
    (normal) => normal.length + 1,
  );
  const origins: (LineOrigin | undefined)[] = same.map((index) => (index === -1 ? undefined : { index, kind: "same" }));
  for (const { oldFrom, oldTo, newFrom, newTo } of hunksOf(same, old.length)) {
    const pairs = pairHunk(old.slice(oldFrom, oldTo), fresh.slice(newFrom, newTo));
    for (const [from, to] of pairs) origins[newFrom + to] = { index: oldFrom + from, kind: "changed" };
  }
  return origins;
}

interface Hunk {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** Returns the runs of differing lines between equal lines. */
function hunksOf(same: readonly number[], oldCount: number): Hunk[] {
  const hunks: Hunk[] = [];
  let oldFrom = 0;
  let newFrom = 0;
  for (const [index, origin] of [...same, oldCount].entries()) {
    if (origin === -1) continue;
    if (origin > oldFrom && index > newFrom) hunks.push({ oldFrom, oldTo: origin, newFrom, newTo: index });
    oldFrom = origin + 1;
    newFrom = index + 1;
  }
  return hunks;
}

/** Pairs lines, in order, so that their total similarity is largest. */
function pairHunk(old: readonly BlockLine[], fresh: readonly BlockLine[]): [from: number, to: number][] {
  if (old.length === 1 && fresh.length === 1) return [[0, 0]];
  if (old.length * fresh.length > MAX_COMPARED) return [];
  const oldTokens = old.map(({ normal }) => wordsOf(normal));
  const newTokens = fresh.map(({ normal }) => wordsOf(normal));
  const width = fresh.length + 1;
  const best = new Float64Array((old.length + 1) * width);
  const likeness = new Float64Array(old.length * fresh.length);
  for (let from = old.length - 1; from >= 0; from -= 1) {
    for (let to = fresh.length - 1; to >= 0; to -= 1) {
      const alike = likenessOf(oldTokens[from]!, newTokens[to]!);
      likeness[from * fresh.length + to] = alike;
      const joined = alike >= MIN_LIKENESS ? alike + best[(from + 1) * width + to + 1]! : 0;
      best[from * width + to] = Math.max(best[(from + 1) * width + to]!, best[from * width + to + 1]!, joined);
    }
  }
  const pairs: [number, number][] = [];
  for (let from = 0, to = 0; from < old.length && to < fresh.length; ) {
    const here = best[from * width + to]!;
    const alike = likeness[from * fresh.length + to]!;
    if (alike >= MIN_LIKENESS && here === alike + best[(from + 1) * width + to + 1]!) pairs.push([from++, to++]);
    else if (here === best[(from + 1) * width + to]!) from += 1;
    else to += 1;
  }
  return pairs;
}

function wordsOf(normal: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const word of normal.match(/[\p{L}\p{N}\p{M}_]+|[^\s]/gu) ?? []) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

/** Returns the share of words and punctuation that two lines have in common, weighted by length. */
function likenessOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  for (const [word, times] of a) common += word.length * Math.min(times, b.get(word) ?? 0);
  const total = lettersIn(a) + lettersIn(b);
  return total === 0 ? 0 : (2 * common) / total;
}

function lettersIn(words: ReadonlyMap<string, number>): number {
  let letters = 0;
  for (const [word, times] of words) letters += word.length * times;
  return letters;
}

interface ChangeList {
  /** Keeps a part of the text, or repeats it if it is before the last kept part. */
  copy(start: number, end: number): void;
  insert(text: string): void;
  /** Removes the rest up to this offset and returns all changes. */
  finish(end: number): TextChange[];
}

/** Collects the changes between the parts that are kept. */
export function createChangeList(text: string, start: number): ChangeList {
  const changes: TextChange[] = [];
  let at = start;
  let inserted = "";
  const close = (end: number) => {
    if (end > at || inserted !== "") changes.push({ start: at, end, text: inserted });
    inserted = "";
  };
  return {
    copy(from, to) {
      if (from < at) {
        inserted += text.slice(from, to);
        return;
      }
      close(from);
      at = to;
    },
    insert(added) {
      inserted += added;
    },
    finish(end) {
      close(end);
      return changes;
    },
  };
}
