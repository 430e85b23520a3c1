import type { BlockLine } from "../matching/block.ts";
import { align } from "./align.ts";

/** Less alike than this, two lines have nothing to do with each other. */
const MIN_LIKENESS = 0.4;
const MAX_PAIRS = 10_000;

/** For each line of the new text the line of the old one that it is (`same`) or was made of (`changed`). */
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

/** Lines of both texts between lines that are the same. */
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

/** In order, so that the likenesses add up to the most. */
function pairHunk(old: readonly BlockLine[], fresh: readonly BlockLine[]): [from: number, to: number][] {
  if (old.length === 1 && fresh.length === 1) return [[0, 0]];
  if (old.length * fresh.length > MAX_PAIRS) return [];
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

/** The share of words and signs that two lines have in common; words count for their letters. */
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
