import type { Cell, RowResult } from "./measure.ts";
import type { Goal, Metric, Row } from "./row.ts";
import type { SubjectName } from "./subjects.ts";

/** One line of the comparison: a metric with the figure of each subject and the outcome of its goals. */
export interface Line {
  row: string;
  title: string;
  unit: Metric["unit"];
  cells: Partial<Record<SubjectName, Cell>>;
  goals: { text: string; isMet: boolean }[];
}

export const isFigure = (cell: Cell | undefined): cell is number => typeof cell === "number" && !Number.isNaN(cell);

export function linesOf(row: Row, result: RowResult): Line[] {
  return Object.entries(row.metrics).map(([key, metric]) => {
    const cells = result.cells[key] ?? {};
    return {
      row: row.name,
      title: metric.title,
      unit: metric.unit,
      cells,
      goals: [...(metric.goals ?? []).flatMap((goal) => judge(goal, cells)), ...aheadOfPeers(metric, cells)],
    };
  });
}

/** The multiple of the floor's figure. */
export function ratio(cells: Line["cells"], name: SubjectName): number | undefined {
  const { floor } = cells;
  const own = cells[name];
  return isFigure(floor) && isFigure(own) && floor > 0 ? own / floor : undefined;
}

function judge({ subject, of, limit, isMinimum }: Goal, cells: Line["cells"]): Line["goals"] {
  const value = of === "floor" ? ratio(cells, subject) : cells[subject];
  if (!isFigure(value)) return [];
  const sign = isMinimum ? "≥" : "≤";
  const mode = subject.replace("pintle ", "");
  return [
    {
      text: `${mode} ${sign} ${limit}${of === "floor" ? "×" : ""}`,
      isMet: isMinimum ? value >= limit : value <= limit,
    },
  ];
}

/** Every row is also compared with the peers; the better of the two modes is used where they do the same job. */
function aheadOfPeers({ isRate }: Metric, cells: Line["cells"]): Line["goals"] {
  const better = (a: number, b: number) => (isRate ? a >= b : a <= b);
  const own = (["pintle delta", "pintle full"] as const).map((name) => cells[name]).filter(isFigure);
  const best = own.reduce((a, b) => (better(a, b) ? a : b), own[0] ?? Number.NaN);
  return (["pi", "oh-my-pi"] as const)
    .filter((peer) => isFigure(cells[peer]) && !better(best, cells[peer] as number))
    .map((peer) => ({ text: `ahead of ${peer}`, isMet: false }));
}

export function formatCell(cell: Cell | undefined, unit: Metric["unit"]): string {
  if (cell === undefined) return "same";
  if (!isFigure(cell)) return typeof cell === "string" ? cell.slice(0, 40) : "n/a";
  const digits = cell >= 100 || Number.isInteger(cell) ? 0 : cell >= 10 ? 1 : 2;
  return `${cell.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}${unit && ` ${unit}`}`;
}

export function formatWithRatio({ cells, unit }: Line, name: SubjectName): string {
  const times = name === "floor" || unit === "" ? undefined : ratio(cells, name);
  const figure = formatCell(cells[name], unit);
  return times === undefined ? figure : `${figure} (${times < 10 ? times.toFixed(1) : Math.round(times)}×)`;
}

export function formatGoals({ goals }: Line): string {
  return goals.map(({ text, isMet }) => `${isMet ? "met" : "MISSED"}: ${text}`).join("; ");
}
