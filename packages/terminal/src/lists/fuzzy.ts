const WORD_START = /[\s/_.:-]/;

/**
 * Returns how well the query matches: its characters appear in the text in order. Higher is better; adjacent characters and starts
 * of words count more. Returns undefined if it does not match.
 */
function fuzzyScore(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase();
  const lower = text.toLowerCase();
  const whole = lower.indexOf(wanted);
  if (whole !== -1)
    return 1_000 - whole + (whole === 0 || WORD_START.test(lower[whole - 1]!) ? 500 : 0) - lower.length / 100;
  let score = 0;
  let from = 0;
  for (const character of wanted) {
    const at = lower.indexOf(character, from);
    if (at === -1) return undefined;
    if (at === from) score += 5;
    else score -= Math.min(at - from, 10);
    if (at === 0 || WORD_START.test(lower[at - 1]!)) score += 8;
    from = at + character.length;
  }
  return score;
}

/** Returns the items that match every word of the query, the best first. */
export function fuzzyFilter<T>(items: readonly T[], query: string, textOf: (item: T) => string): T[] {
  const words = query.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return [...items];
  const scored = items.flatMap((item) => {
    const scores = words.map((word) => fuzzyScore(word, textOf(item)));
    return scores.includes(undefined)
      ? []
      : [{ item, score: scores.reduce<number>((sum, one) => sum + (one ?? 0), 0) }];
  });
  return scored.sort((a, b) => b.score - a.score).map(({ item }) => item);
}
