import type { ConflictKind } from "@pintle/wire";
import type { FileState } from "../../file-changes/index.ts";
import type { Coverage } from "../coverage.ts";
import type { PathChange, Recorded } from "../recorded-state.ts";

/** The types of the session entries, which have ids and counts; the records themselves are in the store. */
export const CHECKPOINT_TYPE = "file-checkpoint";
export const REWIND_TYPE = "file-rewind";

/** The first line of the log of a checkpoint. */
export interface CheckpointHead {
  kind: "checkpoint";
  checkpointId: string;
  sessionId: string;
  /** The user message whose run made the changes; empty if a run had none. */
  entryId: string;
  prompt: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  coverage: Coverage["coverage"];
  /** The commit of HEAD before the first change. */
  gitHead?: string;
}

/** The changes of one tool call, or of several that overlapped. */
export interface ChangeRecord {
  kind: "changes";
  /** The entry of the session that was stored last. */
  at: string;
  toolCallId?: string | undefined;
  /** The tools that made them. */
  sources: readonly string[];
  uncertain?: true | undefined;
  changes: readonly PathChange[];
}

/** A rewind, or the redo of one, as carried out. */
export interface RewindRecord {
  kind: "rewind";
  rewindId: string;
  sessionId: string;
  createdAt: number;
  /** The target of the rewind, as requested. Absent for a redo. */
  to?: string | undefined;
  /** The rewind that this one reverses. */
  redoOf?: string | undefined;
  /** The first entry whose changes are reverted. */
  from: string;
  /** True if the user selected files or hunks: undo and redo without an id do not continue from such a rewind. */
  isPartial: boolean;
  /** Paths of which only some hunks were reverted. */
  partialPaths: readonly string[];
  changes: readonly PathChange[];
  skipped: readonly { path: string; kind: ConflictKind }[];
}

/** What a later process needs in order to roll back a rewind. */
export interface RewindJournal {
  record: RewindRecord;
  files: readonly JournalFile[];
}

interface JournalFile {
  path: string;
  current: Recorded;
  target: Recorded;
  keepsCopy: boolean;
}

/** Reads recorded bytes. Returns undefined if they are not stored. */
export type LoadState = (state: Recorded) => { state: FileState | undefined } | undefined;
/** Stores a state that a merge has produced. */
export type KeepState = (state: FileState | undefined) => Recorded;
