import { isSystemError } from "@pintle/foundation";
import { SessionError } from "@pintle/storage";
import type { AgentSessionEvent, ConflictKind, FileSummary, RewindResult } from "@pintle/wire";
import { describeChange, type FileState, isSameState, withHunks } from "../../file-changes/index.ts";
import { type NetChange, netChange } from "../history/net-changes.ts";
import type { PathHistory } from "../history/timeline.ts";
import type { PathChange } from "../recorded-state.ts";
import { readFileState } from "../scan/read-state.ts";
import { recordedPath, shownPath } from "../shown-path.ts";
import { REWIND_TYPE, type RewindRecord } from "../store/records.ts";
import type { WorkspaceStore } from "../store/workspace-store.ts";
import { newId, type SessionLog } from "../tracking/change-recorder.ts";
import { conflictError, toRewindError } from "./conflict-error.ts";
import { executeRewind, type RewindDisk, recoverRewind } from "./execute-rewind.ts";
import { type Conflict, conflictOf, type Known, type OnConflict, planRewind, type RewindItem } from "./plan-rewind.ts";
import { ChangedMeanwhileError, isSafePath } from "./replace-path.ts";

export interface ConflictChoice {
  dryRun?: boolean | undefined;
  onConflict?: OnConflict | undefined;
}

export interface RewindRequest extends ConflictChoice {
  files?: readonly string[] | undefined;
  hunks?: readonly string[] | undefined;
}

interface RewindPlace extends RewindRequest {
  to: string;
  /** The first entry whose changes are reverted. */
  from: string;
  warnings: string[];
}

export interface RewinderParts {
  store: WorkspaceStore;
  log: SessionLog;
  cwd: string;
  roots: readonly string[];
  home: string;
  now(): number;
  disk?: RewindDisk | undefined;
}

type Outcome = RewindResult & { event?: AgentSessionEvent };
type Origin = Pick<RewindRecord, "to" | "redoOf" | "from" | "isPartial" | "partialPaths">;

/** Plans rewinds and redos of one session, carries them out, and records them. */
export class Rewinder {
  readonly #parts: RewinderParts;

  constructor(parts: RewinderParts) {
    this.#parts = parts;
  }

  /** Reverts what the session did to these paths. */
  rewind(histories: readonly PathHistory[], { files, hunks, to, from, ...choice }: RewindPlace): Outcome {
    const { store } = this.#parts;
    const changes = histories.flatMap((history) => netChange(history, store.load, store.keep) ?? []);
    const isPartial = files !== undefined || hunks !== undefined;
    if (changes.length === 0 && !isPartial) throw new SessionError("not_found", "Nothing to undo");
    const { items, partialPaths } = isPartial
      ? this.#select(changes, files ?? [], hunks ?? [])
      : { items: changes.map((change) => this.#item(change)), partialPaths: [] };
    return this.#carryOut(items, { to, from, isPartial, partialPaths }, choice);
  }

  /** Restores what a rewind reverted. `from` is the entry of that rewind. */
  redo(record: RewindRecord, { from, ...choice }: ConflictChoice & { from: string; warnings: string[] }): Outcome {
    const { store } = this.#parts;
    const items = record.changes.map(({ path, before, after }): RewindItem => {
      const target = store.load(before) ?? "not_stored";
      return {
        path,
        left: store.load(after) ?? "not_stored",
        target,
        start: target,
        ...this.#placeOf(path),
        isUncertain: false,
        hasForeignEdits: false,
        isEntangled: false,
      };
    });
    const origin = { redoOf: record.rewindId, from, isPartial: record.isPartial, partialPaths: record.partialPaths };
    return this.#carryOut(items, origin, choice);
  }

  items(histories: readonly PathHistory[]): ReadonlyMap<string, RewindItem> {
    const { store } = this.#parts;
    return new Map(
      histories.flatMap((history): [string, RewindItem][] => {
        const change = netChange(history, store.load, store.keep);
        return change ? [[change.path, this.#item(change)]] : [];
      }),
    );
  }

  conflictAt(path: string, items: ReadonlyMap<string, RewindItem>): ConflictKind | undefined {
    const item = items.get(path);
    return item && conflictOf(item, isSameState);
  }

  /** Rolls back rewinds whose processes have died. Returns messages for the user. */
  recover(): string[] {
    const { store, home } = this.#parts;
    if (store.journals().length === 0) return [];
    const recovered = store.exclusively(() =>
      store.journals().map((journal) => {
        const { rewindId } = journal.record;
        const isFinal = store.rewind(rewindId) !== undefined;
        try {
          recoverRewind(journal, { store, home });
          return isFinal ? [] : [`A rewind was interrupted when pintle ended, and was rolled back (${rewindId}).`];
        } catch (error) {
          if (!isSystemError(error) && !(error instanceof ChangedMeanwhileError)) throw error;
          return [`A rewind was interrupted when pintle ended, and could not be rolled back: ${error.message}`];
        }
      }),
    );
    return recovered?.value.flat() ?? [];
  }

  /** Records rewinds of this session that were final when its process died. Returns whether there were any. */
  recordCompleted(known: ReadonlySet<string>): boolean {
    const { store, log } = this.#parts;
    const missing = store
      .rewindIds()
      .flatMap((id) => store.rewind(id) ?? [])
      .filter(({ rewindId, sessionId }) => sessionId === log.sessionId && !known.has(rewindId));
    for (const record of missing) this.append(record);
    return missing.length > 0;
  }

  #item(change: NetChange): RewindItem {
    const { store } = this.#parts;
    const known = (state: NetChange["base"]): Known => store.load(state) ?? "not_stored";
    return {
      path: change.path,
      left: known(change.left),
      target: known(change.base),
      start: known(change.start),
      ...this.#placeOf(change.path),
      isUncertain: change.isUncertain,
      hasForeignEdits: !change.isExact,
      isEntangled: change.isEntangled,
    };
  }

  #placeOf(path: string): Pick<RewindItem, "current" | "isUnsafe"> {
    const isUnsafe = !isSafePath(path, this.#parts.home);
    return { isUnsafe, current: isUnsafe ? "other" : readAt(path) };
  }

  /** `files` and `hunks` select together: a file that is named is reverted as a whole. */
  #select(changes: readonly NetChange[], files: readonly string[], hunks: readonly string[]) {
    const { cwd, store } = this.#parts;
    const wanted = new Set(hunks);
    const paths = new Set(files.flatMap((file) => this.#pathsOf(file, changes)));
    const items: RewindItem[] = [];
    const partialPaths: string[] = [];
    for (const change of changes) {
      const item = this.#item(change);
      const { left, target } = item;
      const pair =
        left === "not_stored" || target === "not_stored"
          ? undefined
          : { path: shownPath(change.path, cwd), before: target.state, after: left.state };
      const ids = pair ? hunkIdsOf(pair) : [];
      const chosen = ids.filter((id) => wanted.delete(id));
      if (paths.has(change.path) || (chosen.length > 0 && chosen.length === ids.length)) {
        items.push(item);
        continue;
      }
      if (!pair || chosen.length === 0) continue;
      const state = withHunks(pair, new Set(ids.filter((id) => !chosen.includes(id))));
      store.keep(state);
      items.push({ ...item, target: { state }, start: { state } });
      partialPaths.push(change.path);
    }
    const [outdated] = wanted;
    if (outdated !== undefined) throw new SessionError("not_found", `No such hunk: ${outdated}`);
    return { items, partialPaths };
  }

  /** A renamed file is reverted at both of its paths. */
  #pathsOf(file: string, changes: readonly NetChange[]): string[] {
    const path = recordedPath(file, this.#parts.cwd);
    const change = changes.find((candidate) => candidate.path === path);
    if (!change) throw new SessionError("invalid_request", `No change of the session in ${file}`);
    const isMoved = (other: NetChange) =>
      (!change.base && !other.left && other.base?.object === change.left?.object) ||
      (!change.left && !other.base && other.left?.object === change.base?.object);
    return [change.path, ...changes.filter((other) => other !== change && isMoved(other)).map((other) => other.path)];
  }

  #carryOut(
    items: readonly RewindItem[],
    origin: Origin,
    { dryRun = false, onConflict = "refuse", warnings }: ConflictChoice & { warnings: string[] },
  ): Outcome {
    const { store, cwd, roots, log, now, disk } = this.#parts;
    const plan = planRewind(items, onConflict, isSameState);
    const shown = ({ path, kind }: Conflict) => ({ path: shownPath(path, cwd), kind });
    const files = plan.files.flatMap(
      (file) => summaryOfStates(shownPath(file.path, cwd), file.current, file.target) ?? [],
    );
    if (dryRun) {
      const conflicts = (onConflict === "refuse" ? plan.conflicts : [...plan.skipped, ...plan.refused]).map(shown);
      return { dryRun, canRewind: plan.conflicts.length === 0, files, conflicts, warnings };
    }
    if (plan.refused.length > 0) throw conflictError(plan.refused.map(shown), onConflict, origin.redoOf !== undefined);
    const changes: PathChange[] = plan.files.map(({ path, current, target }) => ({
      path,
      before: store.keep(current),
      after: store.keep(target),
    }));
    const record: RewindRecord = {
      kind: "rewind",
      rewindId: newId("rw"),
      sessionId: log.sessionId,
      createdAt: now(),
      ...origin,
      changes,
      skipped: plan.skipped,
    };
    const journalFiles = plan.files.map(({ path, keepsCopy }, index) => ({
      path,
      keepsCopy,
      current: changes[index]!.before,
      target: changes[index]!.after,
    }));
    const executed = store.exclusively(() => {
      try {
        return executeRewind({ record, files: journalFiles }, { store, roots, disk });
      } catch (error) {
        throw toRewindError(error, cwd);
      }
    });
    if (!executed) throw new SessionError("busy", "Another session is rewinding files in this workspace");
    this.append(record);
    const skipped = plan.skipped.map(shown);
    const kept = executed.value.kept.map(({ path, copy }) => ({
      path: shownPath(path, cwd),
      copy: shownPath(copy, cwd),
    }));
    return {
      rewindId: record.rewindId,
      dryRun,
      canRewind: plan.conflicts.length === 0,
      files,
      conflicts: skipped,
      ...(kept.length > 0 && { kept }),
      warnings,
      event: {
        type: "files_rewound",
        rewindId: record.rewindId,
        ...(origin.to !== undefined && { to: origin.to }),
        redo: origin.redoOf !== undefined,
        files,
        skipped,
      },
    };
  }

  append({ rewindId, redoOf, changes, skipped }: RewindRecord): void {
    const counts = { files: changes.length, skipped: skipped.length };
    this.#parts.log.append(REWIND_TYPE, { rewindId, ...(redoOf !== undefined && { redoOf }), ...counts });
  }
}

function readAt(path: string): RewindItem["current"] {
  try {
    return readFileState(path);
  } catch (error) {
    if (isSystemError(error)) return "other"; // it cannot be read, so it cannot be compared
    throw error;
  }
}

function hunkIdsOf({
  path,
  before,
  after,
}: {
  path: string;
  before: FileState | undefined;
  after: FileState | undefined;
}) {
  const change = describeChange({ path, before, after, sources: [] });
  return (change?.hunks ?? []).map(({ hunkId }) => hunkId);
}

function summaryOfStates(
  path: string,
  before: FileState | undefined,
  after: FileState | undefined,
): FileSummary | undefined {
  const change = describeChange({ path, before, after, sources: [] });
  if (!change) return undefined;
  const { status, added, removed, binary } = change;
  return { path, status, added, removed, binary };
}
