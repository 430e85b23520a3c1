/** How many lines a list or an object between brackets may take without being mistaken for the fault. */
const LONGEST_BRACKETS = 40;

/**
 * The line, from 1, at which a text stops being YAML; for one that the parser has refused, as the engine does not say where.
 * Of brackets that never close it is the line on which they open.
 */
export function findYamlFault(text: string, isYaml: (text: string) => boolean): number {
  const ends = lineEnds(text);
  const isGood = (lines: number) => lines === 0 || isYaml(text.slice(0, ends[lines - 1]));
  let good = 0;
  for (;;) {
    const bad = firstBad(good, ends.length, isGood);
    const last = Math.min(ends.length, bad + LONGEST_BRACKETS);
    let next = bad + 1;
    while (next < last && !isGood(next)) next += 1;
    if (next >= last) return bad;
    good = next; // the brackets have closed: the fault is behind them
  }
}

/** Between a good beginning and a bad one, halving what is left. */
function firstBad(from: number, to: number, isGood: (lines: number) => boolean): number {
  let [good, bad] = [from, to];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isGood(middle)) good = middle;
    else bad = middle;
  }
  return bad;
}

/** Behind each line. */
function lineEnds(text: string): number[] {
  const ends = Array.from(text.matchAll(/\n/g), ({ index }) => index + 1);
  return ends.at(-1) === text.length ? ends : [...ends, text.length];
}
