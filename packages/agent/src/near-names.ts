/** Returns up to three existing names that a wrong name may stand for, the nearest first. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  // With two of four letters, `task` would be similar to `bash`.
  const limit = Math.max(wanted.length > 4 ? 2 : 1, Math.floor(wanted.length / 3));
  const otherLength = (name: string) => Math.abs(name.length - wanted.length);
  return names
    .map((name) => ({ name, distance: editDistance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= limit || name.includes(wanted) || wanted.includes(name))
    .sort((a, b) => a.distance - b.distance || otherLength(a.name) - otherLength(b.name) || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Returns whether one name is a typo of the other: at most one letter in three differs. */
export function isNearName(wanted: string, name: string): boolean {
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  if (Math.abs(wanted.length - name.length) > limit) return false;
  return editDistance(wanted.toLowerCase(), name.toLowerCase()) <= limit;
}

/** One letter is missing, added or wrong, or two are swapped. */
export function isSlipOf(word: string, name: string): boolean {
  return editDistance(word.toLowerCase(), name) === 1;
}

/** Counts insertions, deletions, substitutions and swapped neighbours. */
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

/** Returns the name without capitals and separators: `ReadFile`, `read_file` and `read-file` are equal. */
export function plainSpelling(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
