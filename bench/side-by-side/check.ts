import type { RowResult } from "./measure.ts";
import type { Row } from "./row.ts";
import type { SubjectName } from "./subjects.ts";
import { linesOf, ratio } from "./verdict.ts";

/** How much worse than the recorded ratio a figure may be: below this it is noise. */
const TOLERANCE = 1.15;

/** The programs that a check measures: only ratios to the floor are compared. */
export const CHECKED = ["pintle delta", "pintle full"] as const satisfies readonly SubjectName[];

/** A figure whose ratio to the floor got worse. */
export interface Slower {
  /** The line of the comparison, and the program. */
  name: string;
  before: number;
  now: number;
}

/** Returns the figures of one run that are worse than the recorded ones, all as multiples of the floor. */
export function slowerThan(recorded: readonly RowResult[], row: Row, measured: RowResult): Slower[] {
  const before = recorded.find((result) => result.row === row.name);
  if (!before) return [];
  const old = linesOf(row, before);
  return linesOf(row, measured).flatMap((line, index) => {
    if (line.unit === "") return []; // a count or an exponent is no multiple of the floor
    return CHECKED.flatMap((subject) => {
      const then = ratio(old[index]!.cells, subject);
      const now = ratio(line.cells, subject);
      if (then === undefined || now === undefined) return [];
      const isWorse = line.unit === "/s" ? now * TOLERANCE < then : now > then * TOLERANCE;
      return isWorse ? [{ name: `${line.title} (${subject})`, before: then, now }] : [];
    });
  });
}

/** Returns what got worse in every run, with the ratio of the run in which it was least so. */
export function slowerInAll(runs: readonly (readonly Slower[])[]): Slower[] {
  const [first = [], ...others] = runs;
  return first.flatMap((slower) => {
    const again = others.map((run) => run.find(({ name }) => name === slower.name));
    const all = [slower, ...again.filter((one) => one !== undefined)];
    if (all.length < runs.length) return [];
    const distance = ({ before, now }: Slower) => Math.abs(Math.log(now / before));
    return [all.reduce((a, b) => (distance(b) < distance(a) ? b : a))];
  });
}
