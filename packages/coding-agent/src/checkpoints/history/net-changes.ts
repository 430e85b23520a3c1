import { mergeChange } from "../../file-changes/index.ts";
import { isSameRecorded, type PathChange, type Recorded } from "../recorded-state.ts";
import type { KeepState, LoadState } from "../store/records.ts";
import type { PathHistory } from "./timeline.ts";

/** The net effect of the session on one path. */
export interface NetChange {
  path: string;
  /** The file without the session's changes. */
  base: Recorded;
  /** The file as the session left it. */
  left: Recorded;
  /** The file at the starting point. It differs from `base` if others have changed it since. */
  start: Recorded;
  /** False if others changed the file between the session's changes. */
  isExact: boolean;
  /** Others changed the same lines, so the session's part cannot be separated. */
  isEntangled: boolean;
  sources: readonly string[];
  isUncertain: boolean;
}

/** Returns undefined if none of the session's changes to the path is left. */
export function netChange(history: PathHistory, load: LoadState, keep: KeepState): NetChange | undefined {
  const { path, left, sources, isUncertain } = history;
  const chain = joinAdjacent(history.chain);
  const [first] = chain;
  if (!first) return undefined;
  const change = { path, left, start: first.before, sources, isUncertain };
  const exact = foldExact(chain, left);
  if (exact)
    return isSameRecorded(exact.base, left) ? undefined : { ...change, ...exact, isExact: true, isEntangled: false };
  const merged = foldMerged(chain, left, load, keep);
  if (!merged) return { ...change, base: first.before, isExact: false, isEntangled: true };
  return isSameRecorded(merged.base, left) ? undefined : { ...change, ...merged, isExact: false, isEntangled: false };
}

/** Joins changes that follow each other without a change by others, and drops those that cancel each other out. */
function joinAdjacent(chain: readonly PathChange[]): PathChange[] {
  const joined: PathChange[] = [];
  for (const change of chain) {
    const last = joined.at(-1);
    if (last && isSameRecorded(last.after, change.before)) {
      joined.pop();
      if (!isSameRecorded(last.before, change.after)) joined.push({ ...last, after: change.after });
    } else if (!isSameRecorded(change.before, change.after)) joined.push(change);
  }
  return joined;
}

function foldExact(chain: readonly PathChange[], left: Recorded): { base: Recorded } | undefined {
  let base = left;
  for (const { before, after } of chain.toReversed()) {
    if (!isSameRecorded(base, after)) return undefined;
    base = before;
  }
  return { base };
}

/** Reverts the session's changes one by one and keeps those of others. Returns undefined where they overlap. */
function foldMerged(
  chain: readonly PathChange[],
  left: Recorded,
  load: LoadState,
  keep: KeepState,
): { base: Recorded } | undefined {
  let current = load(left);
  for (const { before, after } of chain.toReversed()) {
    const [from, to] = [load(after), load(before)];
    if (!current || !from || !to) return undefined;
    current = mergeChange(from.state, to.state, current.state);
  }
  return current && { base: keep(current.state) };
}
