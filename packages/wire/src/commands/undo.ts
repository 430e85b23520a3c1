import { Type } from "@pintle/ai/type";
import { ref } from "../named-types.ts";
import { COVERAGES, ON_CONFLICT, oneOf } from "../words.ts";
import { type FieldFault, row } from "./row.ts";

/** What a rewind does with files that something else has changed since. */
export const onConflict = () =>
  Type.Optional(
    oneOf(ON_CONFLICT, {
      description:
        "what to do with files that something else has changed: `refuse` (default) changes nothing, `skip` leaves them, `merge` keeps the other change where the two do not overlap, `keep_both` keeps the current content under another name",
    }),
  );

const dryRun = () => Type.Optional(Type.Boolean({ description: "report what would change, and change nothing" }));
const list = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

/** An empty selection is probably a mistake, not a request to do nothing. */
export function checkSelection({
  files,
  hunks,
}: {
  files?: readonly string[];
  hunks?: readonly string[];
}): FieldFault | undefined {
  if (files?.length === 0) return { field: "files", mustBe: "absent or a non-empty list" };
  if (hunks?.length === 0) return { field: "hunks", mustBe: "absent or a non-empty list" };
  const above = files?.find((file) => file.split(/[\\/]/).includes(".."));
  return above === undefined ? undefined : { field: "files", mustBe: `without "..": ${above}` };
}

/** Lists file changes as data, and rewinds them. */
export const undoCommands = {
  get_checkpoints: row({
    summary: "The states of the workspace before the runs that changed files, newest first.",
    params: () => Type.Object({ limit: Type.Optional(Type.Integer()) }),
    result: () => Type.Object({ checkpoints: Type.Array(ref("Checkpoint")) }),
    lane: "read",
    check: ({ limit = 1 }) => (limit >= 1 ? undefined : { field: "limit", mustBe: "at least 1" }),
  }),
  get_changes: row({
    summary:
      "The net changes that this session made to files, without foreign edits and without changes that were rewound.",
    params: () =>
      Type.Object({
        since: Type.Optional(
          Type.String({ description: "`turn`, `run` (default), `session`, an entry or a checkpoint" }),
        ),
        files: list("only these; their hunks are then complete"),
      }),
    result: () =>
      Type.Object({
        files: Type.Array(ref("FileChange")),
        added: Type.Integer({ description: "lines" }),
        removed: Type.Integer({ description: "lines" }),
        coverage: oneOf(COVERAGES),
        warnings: Type.Array(Type.String(), { description: "`git_head_moved`, `background_processes`" }),
      }),
    lane: "read",
    check: checkSelection,
  }),
  rewind_files: row({
    summary:
      "Reverts what this session changed in files, completely or not at all. Without `to`, each call reverts one more run.",
    params: () =>
      Type.Object({
        to: Type.Optional(
          Type.String({
            description:
              "a user message (the state before its run), another entry (the state when it was stored) or a checkpoint",
          }),
        ),
        files: list("only these files; with `hunks`, both selections apply"),
        hunks: list("ids from `get_changes` with `since` equal to `to`"),
        dryRun: dryRun(),
        onConflict: onConflict(),
      }),
    result: () => ref("RewindResult"),
    lane: "ordered",
    check: checkSelection,
  }),
  redo_files: row({
    summary: "Brings back what a rewind took away; without `rewindId` the newest, until a new run changes files.",
    params: () => Type.Object({ rewindId: Type.Optional(Type.String()), dryRun: dryRun(), onConflict: onConflict() }),
    result: () => ref("RewindResult"),
    lane: "ordered",
  }),
};
