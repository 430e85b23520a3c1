/** Above this many pairs to compare, only what is the same at both ends is aligned. */
const MAX_PAIRS = 4_000_000;

/**
 * For each item of `after` the index of the item of `before` that it is, or -1: the longest common subsequence, where a pair
 * counts as much as `weight` says.
 */
export function align(
  before: readonly string[],
  after: readonly string[],
  weight: (item: string) => number = () => 1,
): number[] {
  const aligned = new Array<number>(after.length).fill(-1);
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) aligned[head] = head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) {
    tail += 1;
    aligned[after.length - tail] = before.length - tail;
  }
  const rows = before.length - head - tail;
  const columns = after.length - head - tail;
  if (rows === 0 || columns === 0 || rows * columns > MAX_PAIRS) return aligned;
  alignMiddle(before.slice(head, head + rows), after.slice(head, head + columns), weight, (from, to) => {
    aligned[head + to] = head + from;
  });
  return aligned;
}

function alignMiddle(
  before: readonly string[],
  after: readonly string[],
  weight: (item: string) => number,
  pair: (from: number, to: number) => void,
): void {
  const width = after.length + 1;
  const best = new Uint32Array((before.length + 1) * width); // of the rests from here on
  for (let from = before.length - 1; from >= 0; from -= 1) {
    for (let to = after.length - 1; to >= 0; to -= 1) {
      const without = Math.max(best[(from + 1) * width + to]!, best[from * width + to + 1]!);
      const joined = before[from] === after[to] ? best[(from + 1) * width + to + 1]! + weight(before[from]!) : 0;
      best[from * width + to] = Math.max(without, joined);
    }
  }
  let from = 0;
  let to = 0;
  while (from < before.length && to < after.length) {
    const here = best[from * width + to]!;
    if (before[from] === after[to] && here === best[(from + 1) * width + to + 1]! + weight(before[from]!)) {
      pair(from++, to++);
    } else if (here === best[(from + 1) * width + to]!) from += 1;
    else to += 1;
  }
}
