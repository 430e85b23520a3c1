/** A text with newlines only, and the way back to the text it was made from. */
export interface LfText {
  text: string;
  /** Where an offset of `text` is in the original. */
  originalOffset(offset: number): number;
  /** How lines end at this place: the next end counts, at the end of the text the last. */
  lineEnding(offset: number): "\n" | "\r\n";
}

export function toLf(original: string): LfText {
  const lines = original.includes("\r") ? original.split("\r\n") : [original];
  const text = lines.length === 1 ? original : lines.join("\n");
  const twoCharacterBreaks = breakOffsets(lines);
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
function breakOffsets(lines: readonly string[]): Int32Array {
  const offsets = new Int32Array(lines.length - 1);
  let offset = 0;
  for (let index = 0; index < offsets.length; index += 1) {
    offset += lines[index]!.length;
    offsets[index] = offset;
    offset += 1;
  }
  return offsets;
}

/** How many of the sorted numbers are smaller. */
export function lowerBound(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
