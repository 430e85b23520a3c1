/** A text with newlines only, and the way back to the text it was made from. */
export interface LfText {
  text: string;
  /** Where an offset of `text` is in the original. */
  originalOffset(offset: number): number;
  /** How lines end at this place: the next end counts, at the end of the text the last. */
  lineEnding(offset: number): "\n" | "\r\n";
}

export function toLf(original: string): LfText {
  const text = original.replaceAll("\r\n", "\n");
  const twoCharacterBreaks = breakOffsets(original);
  const breaksBefore = (offset: number) => lowerBound(twoCharacterBreaks, offset);
  const isTwoCharacters = (offset: number) => twoCharacterBreaks[breaksBefore(offset)] === offset;
  return {
    text,
    originalOffset: (offset) => offset + breaksBefore(offset),
    lineEnding(offset) {
      const next = text.indexOf("\n", offset);
      const decisive = next === -1 ? text.lastIndexOf("\n") : next;
      return isTwoCharacters(decisive) ? "\r\n" : "\n";
    },
  };
}

/** Offsets, in the text with newlines only, of those that were two characters. */
function breakOffsets(original: string): number[] {
  const offsets: number[] = [];
  for (let at = original.indexOf("\r\n"); at !== -1; at = original.indexOf("\r\n", at + 2)) {
    offsets.push(at - offsets.length);
  }
  return offsets;
}

/** How many of the sorted numbers are smaller. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
