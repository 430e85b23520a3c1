import type { PathChange } from "../recorded-state.ts";
import type { ChangeRecord, CheckpointHead, RewindRecord } from "../store/records.ts";

/** What happened to the files, in order. A position is the index of the session entry that was stored last. */
export type Step =
  | { kind: "changes"; position: number; record: ChangeRecord; checkpoint: number }
  | {
      kind: "rewind";
      position: number;
      record: RewindRecord;
      /** It happened in the session that this one continues, and changed nothing since this one began. */
      isAdopted: boolean;
      /** Everything from here on was reverted; undefined if nothing in this session was. */
      from: number | undefined;
    };

export interface TimelineCheckpoint {
  head: CheckpointHead;
  position: number;
  /** False if the store has pruned its records. */
  isAvailable: boolean;
}

/** One item per session entry that refers to the store, in the order of the session. */
export type TimelineItem =
  | { kind: "checkpoint"; position: number; head: CheckpointHead; records: readonly ChangeRecord[] | undefined }
  | { kind: "rewind"; position: number; record: RewindRecord };

/** The history of the session's files. Pure: it is built from entries and records. */
export class Timeline {
  readonly checkpoints: readonly TimelineCheckpoint[];
  readonly steps: readonly Step[];

  /**
   * `positionOf` returns -1 for entries that the session does not have: what happened after them is on none of its
   * branches.
   */
  constructor(items: readonly TimelineItem[], positionOf: (entryId: string) => number) {
    const checkpoints: TimelineCheckpoint[] = [];
    const steps: Step[] = [];
    const adopted = new Set<string>();
    for (const item of items) {
      if (item.kind === "rewind") {
        const { record, position } = item;
        const from = positionOf(record.from);
        const isAdopted = from === -1;
        if (isAdopted) adopted.add(record.rewindId);
        // What the redo of an adopted rewind restores was not done in this session before, so it is a change like any other.
        const takesBack = !isAdopted && !(record.redoOf !== undefined && adopted.has(record.redoOf));
        steps.push({ kind: "rewind", position, record, isAdopted, from: takesBack ? from : undefined });
        continue;
      }
      const index = checkpoints.length;
      const { head, position, records } = item;
      const placed = (records ?? []).map((record) => ({ record, position: positionOf(record.at) }));
      const own = placed.filter((record) => record.position >= 0);
      // Changes of a killed process are recorded after the fact.
      const start = own.reduce((least, record) => Math.min(least, record.position), position);
      checkpoints.push({ head, position: start, isAvailable: records !== undefined });
      for (const { record, position: at } of own)
        steps.push({ kind: "changes", position: at, record, checkpoint: index });
    }
    this.checkpoints = checkpoints;
    this.steps = steps
      .map((step, order) => ({ step, order }))
      .sort((a, b) => a.step.position - b.step.position || a.order - b.order)
      .map(({ step }) => step);
  }

  rewind(rewindId: string): Extract<Step, { kind: "rewind" }> | undefined {
    return this.steps.find((step) => step.kind === "rewind" && step.record.rewindId === rewindId) as
      | Extract<Step, { kind: "rewind" }>
      | undefined;
  }
}

/** What the session did to one path since a position. */
export interface PathHistory {
  path: string;
  /** Its changes in order, without reverted ones. */
  chain: readonly PathChange[];
  /** The state that the session left, including by a rewind. */
  left: PathChange["after"];
  sources: readonly string[];
  isUncertain: boolean;
}

/** Returns what the session did since a position, without what was reverted since. */
export function historySince({ steps }: Pick<Timeline, "steps">, from: number): PathHistory[] {
  const paths = new Map<
    string,
    { history: PathHistory & { chain: PathChange[]; sources: string[] }; voidFrom?: number }
  >();
  for (const step of steps.toReversed()) {
    if (step.position < from) break;
    if (step.kind === "rewind" && step.isAdopted) continue;
    for (const change of step.record.changes) {
      const entry = paths.get(change.path) ?? {
        history: { path: change.path, chain: [], left: change.after, sources: [], isUncertain: false },
      };
      paths.set(change.path, entry);
      if (entry.voidFrom !== undefined && step.position >= entry.voidFrom) continue;
      const isWhole = step.kind === "rewind" && !step.record.partialPaths.includes(change.path);
      if (isWhole && step.from !== undefined && step.from >= from) {
        entry.voidFrom = step.from;
        continue;
      }
      entry.history.chain.unshift(change);
      if (step.kind === "changes") {
        entry.history.sources.unshift(...step.record.sources);
        entry.history.isUncertain ||= step.record.uncertain === true;
      }
    }
  }
  return [...paths.values()].map(({ history }) => ({ ...history, sources: [...new Set(history.sources)] }));
}

interface UndoPosition {
  /** The number of checkpoints that are not undone. */
  cursor: number;
  /** Rewinds that can be redone, the newest last. */
  redo: { rewindId: string; cursor: number }[];
}

/** Returns where undo and redo without an id continue. */
export function undoPosition({ checkpoints, steps }: Timeline): UndoPosition {
  let position: UndoPosition = { cursor: 0, redo: [] };
  for (const step of steps) {
    if (step.kind === "changes") {
      position = { cursor: step.checkpoint + 1, redo: [] };
      continue;
    }
    const { rewindId, redoOf, isPartial } = step.record;
    if (redoOf !== undefined) {
      const at = position.redo.findIndex((entry) => entry.rewindId === redoOf);
      if (at >= 0) position = { cursor: position.redo[at]!.cursor, redo: position.redo.slice(0, at) };
      continue;
    }
    position.redo.push({ rewindId, cursor: position.cursor });
    const { from } = step;
    if (!isPartial && from !== undefined) {
      const kept = checkpoints.filter((checkpoint) => checkpoint.position < from).length;
      position.cursor = Math.min(position.cursor, kept);
    }
  }
  return position;
}
