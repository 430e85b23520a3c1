import type { ConflictKind } from "@pintle/wire";
import { type FileState, mergeChange } from "../../file-changes/index.ts";

export type OnConflict = "refuse" | "skip" | "merge" | "keep_both";

/** One path to restore, with what is known about it. */
export interface RewindItem {
  path: string;
  /** The state that the session left; undefined in its `state` if nothing is there. */
  left: Known;
  /** The state to restore, without the session's change. */
  target: Known;
  /** The state to restore if the current content is kept under another name. */
  start: Known;
  /** The current content. `other` is a directory or anything else that is not a file. */
  current: FileState | undefined | "other";
  isUncertain: boolean;
  /** Others changed the file between the session's changes. */
  hasForeignEdits: boolean;
  /** Others changed the same lines. */
  isEntangled: boolean;
  /** The path leads through a link, or out of the workspace. */
  isUnsafe: boolean;
}

/** A state, or a mark that its bytes are not stored. */
export type Known = { state: FileState | undefined } | "not_stored";

export interface PlannedFile {
  path: string;
  /** What must be at the path when it is replaced. */
  current: FileState | undefined;
  target: FileState | undefined;
  /** Keeps the current content next to the restored file. */
  keepsCopy: boolean;
}

export interface RewindPlan {
  files: PlannedFile[];
  /** Files that stay as they are. */
  skipped: Conflict[];
  /** Conflicts that the choice does not resolve, so nothing is done. */
  refused: Conflict[];
  /** Every conflict that `refuse` would refuse. */
  conflicts: Conflict[];
}

export interface Conflict {
  path: string;
  kind: ConflictKind;
}

/** These two can only be skipped. */
const ONLY_SKIPPED: readonly ConflictKind[] = ["not_stored", "unsafe_path"];

type IsSame = (one: FileState | undefined, other: FileState | undefined) => boolean;

/** Decides what a rewind does with each path. Pure; no choice discards other programs' changes. */
export function planRewind(items: readonly RewindItem[], onConflict: OnConflict, isSame: IsSame): RewindPlan {
  const plan: RewindPlan = { files: [], skipped: [], refused: [], conflicts: [] };
  for (const item of items) {
    const { path, current } = item;
    const kind = conflictOf(item, isSame);
    const target = item.target === "not_stored" ? undefined : item.target.state;
    if (kind === undefined) {
      if (current !== "other") plan.files.push({ path, current, target, keepsCopy: false });
      continue;
    }
    const conflict = { path, kind };
    plan.conflicts.push(conflict);
    if (onConflict === "skip") {
      plan.skipped.push(conflict);
      continue;
    }
    const solved =
      ONLY_SKIPPED.includes(kind) || current === "other" ? undefined : solve(item, onConflict, current, isSame);
    if (solved && current !== "other") plan.files.push({ path, current, ...solved });
    else plan.refused.push(conflict);
  }
  return plan;
}

/** Returns undefined if the path can be restored as it is. */
export function conflictOf(item: RewindItem, isSame: IsSame): ConflictKind | undefined {
  const { left, target, current } = item;
  if (item.isUnsafe) return "unsafe_path";
  if (target === "not_stored" || left === "not_stored") return "not_stored";
  if (current === "other") return left.state ? "foreign_edit" : "foreign_create";
  if (!isSame(current, left.state)) {
    if (!left.state) return "foreign_create";
    return current ? "foreign_edit" : "foreign_delete";
  }
  if (item.isUncertain) return "uncertain";
  return item.hasForeignEdits || item.isEntangled ? "foreign_edit" : undefined;
}

/** Returns undefined if the choice cannot resolve the conflict. */
function solve(
  item: RewindItem,
  onConflict: OnConflict,
  current: FileState | undefined,
  isSame: IsSame,
): Pick<PlannedFile, "target" | "keepsCopy"> | undefined {
  const { left, target, start } = item;
  if (left === "not_stored" || target === "not_stored") return undefined;
  if (onConflict === "keep_both") {
    if (start === "not_stored") return undefined;
    return { target: start.state, keepsCopy: current !== undefined && !isSame(current, start.state) };
  }
  // An uncertain change may be another program's work, so it is never reverted without a copy.
  if (onConflict !== "merge" || item.isUncertain || item.isEntangled) return undefined;
  const merged = mergeChange(left.state, target.state, current);
  return merged && { target: merged.state, keepsCopy: false };
}
