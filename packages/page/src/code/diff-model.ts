import { diffArrays } from "diff";
import type { DiffLine } from "./parse-diff.ts";

/** Strings with more changes than this have too little in common to be worth the time. */
const MOST_CHANGES = 1_000;

/** Compares two strings, for changes that come without a diff. */
export function diffTexts(oldText: string, newText: string): DiffLine[] {
  const [a, b] = [oldText.split("\n"), newText.split("\n")];
  const parts = diffArrays(a, b, { maxEditLength: MOST_CHANGES }) ?? [
    { removed: true, added: false, value: a },
    { removed: false, added: true, value: b },
  ];
  return parts.flatMap(({ added, removed, value }) => {
    const kind = added ? "added" : removed ? "removed" : "same";
    return value.map((text): DiffLine => ({ kind, text }));
  });
}

/** A line of the view: the old text next to the new one. */
export interface DiffPair {
  kind: "same" | "change" | "gap" | "file";
  before?: { number?: number; text: string };
  after?: { number?: number; text: string };
}

export function pairLines(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  let [removed, added]: [DiffPair["before"][], DiffPair["after"][]] = [[], []];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const [before, after] = [removed[index], added[index]];
      pairs.push({ kind: "change", ...(before && { before }), ...(after && { after }) });
    }
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(side(line.oldNumber, line.text));
    } else if (line.kind === "added") added.push(side(line.newNumber, line.text));
    else {
      flush();
      if (line.kind === "same") {
        pairs.push({ kind: "same", before: side(line.oldNumber, line.text), after: side(line.newNumber, line.text) });
      } else pairs.push({ kind: line.kind, after: { text: line.text } });
    }
  }
  flush();
  return pairs;
}

function side(number: number | undefined, text: string): { number?: number; text: string } {
  return { ...(number !== undefined && { number }), text };
}
