/** Names that differ in more characters than this share of their length are not suggested. */
const MAX_SHARE = 0.5;

/** Returns the name that needs the fewest edits to become the given one, or undefined if none is close. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const [best] = names
    .map((name) => ({ name, edits: distance(wanted, name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  if (!best) return undefined;
  const isClose = best.edits <= Math.max(1, Math.max(given.length, best.name.length) * MAX_SHARE);
  return isClose ? best.name : names.find((name) => name.toLowerCase().startsWith(wanted));
}

/** Counts inserted, removed, replaced and swapped characters. */
function distance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        last[column]! + 1,
        next[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
        isSwapped ? beforeLast[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = next;
  }
  return last[other.length]!;
}
