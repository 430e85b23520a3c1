export interface Region {
  /** 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
  /** 0 to 1. */
  similarity: number;
  text: string;
}

export const MIN_SIMILARITY = 0.6;
/** A hint is not worth more time than this much text takes. */
const MAX_TEXT = 4_000_000;
const MAX_WANTED = 50_000;
const PAIR_KINDS = 1 << 16;

/**
 * The lines that are most like a text that was not found. Texts are compared by the pairs of neighbouring characters they
 * have in common, spaces left out; a window of as many lines moves down, so that each line is counted twice and no more.
 */
export function findClosestRegion(text: string, wanted: string): Region | undefined {
  if (text.length > MAX_TEXT || wanted.length > MAX_WANTED) return undefined;
  const lines = text.split("\n");
  const wantedLines = withoutEmptyEnds(wanted.split("\n"));
  const height = Math.min(wantedLines.length, lines.length);
  const window = createPairWindow(wantedLines);
  let best = { firstLine: 0, similarity: 0 };
  for (const [index, line] of lines.entries()) {
    window.add(line);
    if (index >= height) window.remove(lines[index - height]!);
    const similarity = window.similarity();
    if (index >= height - 1 && similarity > best.similarity) best = { firstLine: index - height + 2, similarity };
  }
  if (best.similarity < MIN_SIMILARITY) return undefined;
  const region = lines.slice(best.firstLine - 1, best.firstLine - 1 + height);
  return { ...best, lastLine: best.firstLine + height - 1, text: region.join("\n") };
}

function withoutEmptyEnds(lines: readonly string[]): readonly string[] {
  const isFilled = (line: string) => line !== "";
  const first = lines.findIndex(isFilled);
  return first === -1 ? lines : lines.slice(first, lines.findLastIndex(isFilled) + 1);
}

function createPairWindow(wanted: readonly string[]) {
  const missing = new Int32Array(PAIR_KINDS); // of each pair: wanted minus present
  let wantedPairs = 0;
  let presentPairs = 0;
  let common = 0;
  for (const line of wanted) {
    eachPair(line, (pair) => {
      missing[pair]! += 1;
      wantedPairs += 1;
    });
  }
  return {
    add(line: string): void {
      eachPair(line, (pair) => {
        if (missing[pair]! > 0) common += 1;
        missing[pair]! -= 1;
        presentPairs += 1;
      });
    },
    remove(line: string): void {
      eachPair(line, (pair) => {
        missing[pair]! += 1;
        if (missing[pair]! > 0) common -= 1;
        presentPairs -= 1;
      });
    },
    similarity: () => (wantedPairs + presentPairs === 0 ? 0 : (2 * common) / (wantedPairs + presentPairs)),
  };
}

/** A line's beginning counts as a character, so that lines of one character can be compared as well. */
function eachPair(line: string, use: (pair: number) => void): void {
  let previous = 0;
  for (let index = 0; index < line.length; index += 1) {
    const code = line.charCodeAt(index);
    if (code <= 0x20) continue;
    use(((previous * 31) ^ code) & (PAIR_KINDS - 1));
    previous = code;
  }
}
