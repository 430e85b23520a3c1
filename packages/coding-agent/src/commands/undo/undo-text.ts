import { visiblePath } from "@pintle/foundation";
import type { Checkpoint, RewindResult } from "@pintle/wire";
import { CONFLICT_REASONS, openChoices } from "../../checkpoints/rewind/conflict-error.ts";
import type { OnConflict } from "../../checkpoints/rewind/plan-rewind.ts";
import { ageText, titleOf } from "../../cli/session-table.ts";
import { textTable } from "../../cli/text-table.ts";

const WARNINGS: Readonly<Record<string, string>> = {
  git_head_moved: "HEAD has moved since. Files change back, but branches and commits stay.",
};

const EFFECTS: Readonly<Record<Exclude<OnConflict, "refuse">, string>> = {
  skip: "leave these files as they are",
  merge: "keep the other edits where they do not overlap",
  keep_both: "keep the current content as a copy next to the file",
};

/** Describes what a rewind has done or, after a dry run, would do. */
export function resultText(result: RewindResult, isRedo: boolean): string {
  const { files, conflicts, kept = [], warnings } = result;
  const done = isRedo ? "Redid" : "Undid";
  const would = isRedo ? "Would redo" : "Would undo";
  const what =
    files.length === 0 ? "No file differs." : `${result.dryRun ? would : done} the changes in ${count(files)}:`;
  return [
    what,
    ...fileRows(files),
    ...(conflicts.length === 0 ? [] : [`${result.dryRun ? "Would leave" : "Left"} as they are:`]),
    ...conflictRows(conflicts),
    ...kept.map(({ path, copy }) => `The other content of ${visiblePath(path)} is in ${visiblePath(copy)}.`),
    ...warnings.map((warning) => WARNINGS[warning] ?? warning),
    "",
  ].join("\n");
}

/** Explains why nothing was done, and what the user can choose. */
export function refusalText({ files, conflicts }: RewindResult, onConflict: OnConflict): string {
  const choices = openChoices(conflicts, onConflict).filter((choice) => choice !== "skip" || files.length > 0);
  const width = Math.max(...choices.map((choice) => choice.length));
  return [
    `nothing was changed, because of ${count(conflicts)}:`,
    ...conflictRows(conflicts),
    ...(choices.length === 0 ? [] : ["Choose how to handle them:"]),
    ...choices.map((choice) => `  --on-conflict ${choice.padEnd(width)}  ${EFFECTS[choice]}`),
  ].join("\n");
}

/** Returns the output of `pintle undo --list`. */
export function checkpointTable(checkpoints: readonly Checkpoint[], now: number): string {
  const rows = checkpoints.map(({ checkpointId, createdAt, files, added, removed, prompt, available }) => [
    visiblePath(checkpointId),
    ageText(now - createdAt),
    available ? String(files) : "removed to save space",
    available ? `+${added} −${removed}` : "",
    titleOf(prompt),
  ]);
  return textTable([["checkpoint", "age", "files", "lines", "message"], ...rows]);
}

function fileRows(files: RewindResult["files"]): string[] {
  const width = Math.max(...files.map(({ status }) => status.length));
  return byPath(files).map(({ path, status, added, removed, binary }) => {
    const lines = binary ? "binary" : `+${added} −${removed}`;
    return `  ${status.padEnd(width)}  ${visiblePath(path)}  ${lines}`;
  });
}

function conflictRows(conflicts: RewindResult["conflicts"]): string[] {
  return byPath(conflicts).map(({ path, kind }) => `  ${visiblePath(path)} ${CONFLICT_REASONS[kind]}`);
}

function count(files: readonly unknown[]): string {
  return files.length === 1 ? "1 file" : `${files.length} files`;
}

function byPath<T extends { path: string }>(rows: readonly T[]): T[] {
  return rows.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
