import type { ConflictKind, FileChange } from "@pintle/wire";
import { describeChange } from "../../file-changes/index.ts";
import { shownPath } from "../shown-path.ts";
import type { WorkspaceStore } from "../store/workspace-store.ts";
import { type NetChange, netChange } from "./net-changes.ts";
import type { PathHistory } from "./timeline.ts";

type Store = Pick<WorkspaceStore, "load" | "keep">;

/** Describes the net changes of the session, sorted by path. */
export function describeNet(
  histories: readonly PathHistory[],
  store: Store,
  cwd: string,
  conflictAt: (path: string) => ConflictKind | undefined = () => undefined,
): FileChange[] {
  const changes = histories.flatMap((history) => netChange(history, store.load, store.keep) ?? []);
  const renames = findRenames(changes);
  const formerPaths = new Set([...renames.values()].map(({ path }) => path));
  return changes
    .filter(({ path }) => !formerPaths.has(path))
    .flatMap((change) => describe(change, renames.get(change.path), { store, cwd, conflictAt }) ?? [])
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Maps new paths to deleted files with the same content. */
function findRenames(changes: readonly NetChange[]): Map<string, NetChange> {
  const deleted = new Map<string, NetChange>();
  for (const change of changes) {
    if (change.base && !change.left && change.base.size > 0)
      deleted.set(`${change.base.type} ${change.base.object}`, change);
  }
  const renames = new Map<string, NetChange>();
  for (const change of changes) {
    const key = change.left && !change.base ? `${change.left.type} ${change.left.object}` : "";
    const former = deleted.get(key);
    if (!former) continue;
    renames.set(change.path, former);
    deleted.delete(key);
  }
  return renames;
}

function describe(
  change: NetChange,
  former: NetChange | undefined,
  { store, cwd, conflictAt }: { store: Store; cwd: string; conflictAt(path: string): ConflictKind | undefined },
): FileChange | undefined {
  const { path, left, sources, isUncertain } = change;
  const base = former ? former.base : change.base;
  const [before, after] = [store.load(base), store.load(left)];
  const shown = shownPath(path, cwd);
  const oldPath = former && shownPath(former.path, cwd);
  const conflict = conflictAt(path) ?? (former && conflictAt(former.path));
  const marks = {
    ...(isUncertain && { uncertain: true as const }),
    ...(conflict && { conflict }),
  };
  if (before && after) {
    const described = describeChange({
      path: shown,
      ...(oldPath !== undefined && { oldPath }),
      before: before.state,
      after: after.state,
      sources,
    });
    return described && { ...described, ...marks };
  }
  return {
    path: shown,
    ...(oldPath !== undefined && { oldPath }),
    status: oldPath !== undefined ? "renamed" : !base ? "added" : !left ? "deleted" : "modified",
    type: (left ?? base)?.type ?? "file",
    binary: true,
    added: 0,
    removed: 0,
    truncated: true,
    sources: [...sources],
    ...marks,
  };
}
