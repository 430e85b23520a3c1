export interface Part {
  text: string;
  isChanged: boolean;
}

const WORD = /[\p{L}\p{N}_]+|\s+|./gsu;
/** Lines that share less than this are different lines: marks on all of their words would say nothing. */
const MIN_SHARED = 0.3;

/**
 * Finds the words that differ between two versions of a line: everything between the words that both begin with and those
 * that both end with. Returns undefined if the lines have too little in common.
 */
export function changedParts(before: string, after: string): { before: Part[]; after: Part[] } | undefined {
  const one = before.match(WORD) ?? [];
  const other = after.match(WORD) ?? [];
  const shortest = Math.min(one.length, other.length);
  let start = 0;
  while (start < shortest && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shortest - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const shared = [...one.slice(0, start), ...one.slice(one.length - end)].join("").trim().length;
  if (shared < MIN_SHARED * Math.max(before.trim().length, after.trim().length)) return undefined;
  return { before: partsOf(one, start, end), after: partsOf(other, start, end) };
}

function partsOf(words: readonly string[], start: number, end: number): Part[] {
  const parts = [
    { text: words.slice(0, start).join(""), isChanged: false },
    { text: words.slice(start, words.length - end).join(""), isChanged: true },
    { text: words.slice(words.length - end).join(""), isChanged: false },
  ];
  return parts.filter(({ text }) => text !== "");
}
