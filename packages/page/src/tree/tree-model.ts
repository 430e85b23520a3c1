import type { Row } from "../page-data.ts";

export type TreeFilter = "default" | "no-tools" | "user" | "labelled" | "all";

export const FILTERS: readonly { name: TreeFilter; label: string; accepts(row: Row): boolean }[] = [
  { name: "default", label: "Default", accepts: (row) => isReadable(row) },
  { name: "no-tools", label: "No tools", accepts: (row) => isReadable(row) && row.kind !== "tool" },
  { name: "user", label: "User", accepts: ({ kind }) => kind === "user" },
  { name: "labelled", label: "Labelled", accepts: ({ label }) => label !== undefined },
  { name: "all", label: "All", accepts: () => true },
];

/** Excludes bookkeeping, and answers that only contain calls, because their results are included. */
function isReadable({ kind, calls, title, state, isUnseen }: Row): boolean {
  if (kind === "change" || kind === "data" || isUnseen) return false;
  if (kind !== "assistant" || !calls || state) return true;
  return title !== calls.map(({ name }) => name).join(", ");
}

export interface TreeLine {
  place: number;
  /** How many branches away from the main line it is. */
  depth: number;
  /** The first entry of a branch off the main line. */
  isFork: boolean;
  isOpen: boolean;
}

export interface TreeView {
  accepts(place: number): boolean;
  /** Forks whose continuation is not shown. */
  closed: ReadonlySet<number>;
  /** The shown branch. */
  onPath: ReadonlySet<number>;
  /** The first row of a subagent; these conversations follow that of the session. */
  firstSubagent?: number | undefined;
}

/**
 * The tree as lines. The shown branch is a straight line, however often it forked: at a fork, the other branches are
 * indented before the line continues. In these, the newest branch is straight. Excluded entries are left out, and their
 * successors take their place. Does not recurse, because a path may be as long as the session.
 */
export function treeLines(
  children: ReadonlyMap<number, readonly number[]>,
  { accepts, closed, onPath, firstSubagent = Number.POSITIVE_INFINITY }: TreeView,
): TreeLine[] {
  const lines: TreeLine[] = [];
  const shown = nearestAccepted(children, accepts);
  const waiting: TreeLine[] = [];
  const push = (places: readonly number[], depth: number) => {
    const main = places.find((place) => onPath.has(place)) ?? places.at(-1);
    if (main === undefined) return;
    waiting.push({ place: main, depth, isFork: false, isOpen: true });
    for (const place of places.toReversed()) {
      if (place !== main) waiting.push({ place, depth: depth + 1, isFork: true, isOpen: !closed.has(place) });
    }
  };
  const roots = shown.get(-1) ?? [];
  for (const place of roots.toReversed()) {
    if (place >= firstSubagent) waiting.push({ place, depth: 1, isFork: true, isOpen: !closed.has(place) });
  }
  push(
    roots.filter((place) => place < firstSubagent),
    -1,
  );
  for (let line = waiting.pop(); line; line = waiting.pop()) {
    lines.push({ ...line, depth: Math.max(0, line.depth) });
    if (line.isOpen) push(shown.get(line.place) ?? [], Math.max(0, line.depth));
  }
  return lines;
}

/**
 * For every included position, and for -1, the included entries that follow it directly. Parents precede their
 * children.
 */
function nearestAccepted(
  children: ReadonlyMap<number, readonly number[]>,
  accepts: (place: number) => boolean,
): Map<number, number[]> {
  const shown = new Map<number, number[]>();
  const waiting: [place: number, above: number][] = (children.get(-1) ?? []).map((place) => [place, -1]);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [place, above] = next;
    const isShown = accepts(place);
    if (isShown) {
      const siblings = shown.get(above);
      if (siblings) siblings.push(place);
      else shown.set(above, [place]);
    }
    for (const child of children.get(place) ?? []) waiting.push([child, isShown ? place : above]);
  }
  for (const siblings of shown.values()) siblings.sort((a, b) => a - b);
  return shown;
}
