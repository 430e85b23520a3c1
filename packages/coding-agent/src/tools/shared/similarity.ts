/** How alike two short texts are, from 0 to 1: the share of neighbouring characters that they have in common. */
export function similarity(a: string, b: string): number {
  const pairs = pairCounts(a);
  let common = 0;
  for (const [pair, count] of pairCounts(b)) common += Math.min(count, pairs.get(pair) ?? 0);
  return (2 * common) / (a.length + b.length + 2);
}

/** The edges count as characters, so that every text has pairs. */
function pairCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const framed = `\0${text}\0`;
  for (let index = 1; index < framed.length; index += 1) {
    const pair = framed.slice(index - 1, index + 1);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}
