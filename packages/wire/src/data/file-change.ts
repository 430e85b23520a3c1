import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { COVERAGES, oneOf } from "../words.ts";

const path = () => Type.String({ description: "relative to the session's directory, absolute outside it" });
const status = () => oneOf(["added", "modified", "deleted", "renamed"]);

export const FileSummarySchema = Type.Object({
  path: path(),
  status: status(),
  added: Type.Integer({ description: "lines; 0 for a binary file" }),
  removed: Type.Integer({ description: "lines; 0 for a binary file" }),
  binary: Type.Boolean(),
});
/** The net change of one file. */
export type FileSummary = Static<typeof FileSummarySchema>;

export const HunkSchema = Type.Object({
  hunkId: Type.String({ description: "equal for equal states of the file" }),
  oldStart: Type.Integer({ description: "as in a unified diff: the line before the hunk if `oldLines` is 0" }),
  oldLines: Type.Integer(),
  newStart: Type.Integer({ description: "the line before the hunk if `newLines` is 0" }),
  newLines: Type.Integer(),
  lines: Type.Array(Type.String(), {
    description:
      "as in a unified diff, with ` `, `-`, `+` or `\\` in front and without line endings; a carriage return is left only where the hunk has different line endings",
  }),
});
/** One run of changed lines, with up to three unchanged lines around it. */
export type Hunk = Static<typeof HunkSchema>;

export const CONFLICT_KINDS = [
  "foreign_edit",
  "foreign_delete",
  "foreign_create",
  "uncertain",
  "not_stored",
  "unsafe_path",
] as const;
export const ConflictKindSchema = oneOf(CONFLICT_KINDS, { description: "why a file cannot be replaced" });
export type ConflictKind = Static<typeof ConflictKindSchema>;

export const FileChangeSchema = Type.Object({
  path: path(),
  oldPath: Type.Optional(Type.String({ description: "the former path of a renamed file" })),
  status: status(),
  type: oneOf(["file", "symlink"]),
  binary: Type.Boolean(),
  added: Type.Integer({ description: "lines; 0 for a binary file" }),
  removed: Type.Integer({ description: "lines; 0 for a binary file" }),
  oldMode: Type.Optional(Type.Integer({ description: "permission bits, where they change" })),
  newMode: Type.Optional(Type.Integer({ description: "permission bits of a new file, or where they change" })),
  hunks: Type.Optional(Type.Array(HunkSchema)),
  truncated: Type.Optional(Type.Literal(true, { description: "the hunks are left out because there is too much" })),
  sources: Type.Array(Type.String(), { description: "the tools that made the change" }),
  uncertain: Type.Optional(Type.Literal(true, { description: "something else may have made it, or a part of it" })),
  conflict: Type.Optional(ConflictKindSchema),
});
/** A change of one file, with its hunks. */
export type FileChange = Static<typeof FileChangeSchema>;

const coverage = () =>
  oneOf(COVERAGES, { description: "`workspace`: all changes; `tools`: only those of file tools; `off`: none" });

export const CheckpointSchema = Type.Object({
  checkpointId: Type.String(),
  entryId: Type.String({ description: "the user message of the run; empty if the run had none" }),
  prompt: Type.String({ description: "the beginning of the message" }),
  createdAt: Type.Integer({ description: "milliseconds since the epoch" }),
  files: Type.Integer({ description: "how many files the run changed" }),
  added: Type.Integer({ description: "lines" }),
  removed: Type.Integer({ description: "lines" }),
  coverage: coverage(),
  available: Type.Boolean({ description: "false: too old, its contents were removed" }),
});
/** The state of the workspace before the first change of a run. */
export type Checkpoint = Static<typeof CheckpointSchema>;

const conflicts = (description: string) =>
  Type.Array(Type.Object({ path: path(), kind: ConflictKindSchema }), { description });

export const RewindResultSchema = Type.Object({
  rewindId: Type.Optional(Type.String({ description: "absent for a dry run" })),
  dryRun: Type.Boolean(),
  canRewind: Type.Boolean({ description: "whether `onConflict: refuse` would succeed" }),
  files: Type.Array(FileSummarySchema, { description: "the files that change, and how" }),
  conflicts: conflicts("the files that stay as they are"),
  kept: Type.Optional(
    Type.Array(Type.Object({ path: path(), copy: path() }), {
      description: "with `keep_both`: where the content that was replaced is now",
    }),
  ),
  warnings: Type.Array(Type.String(), { description: "`git_head_moved`, `background_processes`" }),
});
/** What a rewind or redo did, or would do. */
export type RewindResult = Static<typeof RewindResultSchema>;

export const UndoStateSchema = Type.Object({
  coverage: coverage(),
  reason: Type.Optional(Type.String({ description: "why not the whole workspace" })),
  checkpoints: Type.Integer({ description: "how many the session has" }),
  canUndo: Type.Boolean({ description: "whether `rewind_files` without `to` has something to do" }),
  canRedo: Type.Boolean({ description: "whether `redo_files` without `rewindId` has something to do" }),
});
/** What can be undone. */
export type UndoState = Static<typeof UndoStateSchema>;
