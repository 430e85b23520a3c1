import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

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
  oldPath: Type.Optional(Type.String({ description: "of a renamed file" })),
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
