import { isSystemError, PathExchangedError } from "@pintle/foundation";
import { SessionError } from "@pintle/storage";
import type { ConflictKind } from "@pintle/wire";
import { shownPath } from "../shown-path.ts";
import type { Conflict, OnConflict } from "./plan-rewind.ts";
import { ChangedMeanwhileError } from "./replace-path.ts";

/** Completes a sentence that begins with the path. */
export const CONFLICT_REASONS: Record<ConflictKind, string> = {
  foreign_edit: "was edited after the run",
  foreign_delete: "was deleted after the run",
  foreign_create: "was created after the run",
  uncertain: "may have been changed by something else during the run",
  not_stored: "has no stored content to restore",
  unsafe_path: "has a path that now leads through a link",
};
const ONLY_SKIPPED: ReadonlySet<ConflictKind> = new Set(["not_stored", "unsafe_path"]);
const MAX_NAMES = 20;

/** Names the files that prevent a rewind, and what the user can choose. */
export function conflictError(conflicts: readonly Conflict[], onConflict: OnConflict, isRedo: boolean): SessionError {
  const verb = isRedo ? "redo" : "rewind";
  const [first, ...others] = conflicts;
  const names = conflicts.slice(0, MAX_NAMES).map(({ path, kind }) => `${path} ${CONFLICT_REASONS[kind]}`);
  const rest = conflicts.length > MAX_NAMES ? `; and ${conflicts.length - MAX_NAMES} more` : "";
  const what =
    first && others.length === 0
      ? `Cannot ${verb} ${first.path}: it ${CONFLICT_REASONS[first.kind]}.`
      : `Cannot ${verb} ${conflicts.length} files: ${names.join("; ")}${rest}.`;
  return new SessionError("conflict", `${what} ${advice(conflicts, onConflict)}`);
}

function advice(conflicts: readonly Conflict[], onConflict: OnConflict): string {
  const choices = openChoices(conflicts, onConflict);
  const [last, ...others] = choices.toReversed();
  const list = others.length === 0 ? last : `${others.reverse().join(", ")} or ${last}`;
  const isUnmergeable = onConflict === "merge" && choices.includes("keep_both");
  return `${isUnmergeable ? "The changes cannot be merged. " : ""}Choose onConflict ${list}.`;
}

/** Returns what may still work for conflicts that this choice did not resolve. */
export function openChoices(
  conflicts: readonly Pick<Conflict, "kind">[],
  onConflict: OnConflict,
): Exclude<OnConflict, "refuse">[] {
  if (conflicts.some(({ kind }) => ONLY_SKIPPED.has(kind))) return ["skip"];
  return (["skip", "merge", "keep_both"] as const).filter((choice) => choice !== onConflict);
}

/** Reports why no file was replaced. */
export function toRewindError(error: unknown, cwd: string): SessionError {
  if (error instanceof ChangedMeanwhileError) {
    const path = shownPath(error.path, cwd);
    return new SessionError(
      "conflict",
      `Cannot rewind ${path}: it was changed meanwhile. No file was changed; try again.`,
    );
  }
  if (error instanceof PathExchangedError) return new SessionError("conflict", `Cannot rewind: ${error.message}`);
  if (!isSystemError(error)) throw error;
  return new SessionError("invalid_request", `Cannot rewind: ${error.message}. No file was changed.`);
}
