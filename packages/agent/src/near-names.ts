/** Up to three names that may have been meant by a name that does not exist, the nearest first. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  const otherLength = (name: string) => Math.abs(name.length - wanted.length);
  return names
    .map((name) => ({ name, distance: editDistance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= limit || name.includes(wanted) || wanted.includes(name))
    .sort((a, b) => a.distance - b.distance || otherLength(a.name) - otherLength(b.name) || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** A slip of the pen, of one letter in three at most. */
export function isNearName(wanted: string, name: string): boolean {
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  if (Math.abs(wanted.length - name.length) > limit) return false;
  return editDistance(wanted.toLowerCase(), name.toLowerCase()) <= limit;
}

/** One letter is missing, too many or wrong, or two stand the wrong way round. */
export function isSlipOf(word: string, name: string): boolean {
  return editDistance(word.toLowerCase(), name) === 1;
}

/** Insertions, deletions, substitutions, and two neighbours in the wrong order. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (beforePrevious[j - 2] as number) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(substitution, swap, (previous[j] as number) + 1, (current[j - 1] as number) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] as number;
}
