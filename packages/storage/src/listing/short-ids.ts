const MIN_LENGTH = 8;

/** Returns the shortest unique prefix of each id, with a minimum length. */
export function shortestPrefixes(ids: readonly string[]): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedLength(id, sorted[at - 1] ?? ""), sharedLength(id, sorted[at + 1] ?? ""));
      return [id, id.slice(0, Math.max(MIN_LENGTH, shared + 1))];
    }),
  );
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
