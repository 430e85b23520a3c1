import type { DecidedParts, FileChange } from "@pintle/wire";
import { ApplyRefused } from "./apply-refused.ts";
import type { ChangeSelection, FileEdit, PendingAction } from "./pending-action.ts";

/** What a decision names. Undefined lists are left out of the request. */
export interface NamedParts {
  files?: readonly string[] | undefined;
  hunks?: readonly string[] | undefined;
  edits?: readonly FileEdit[] | undefined;
}

/** Returns the parts to apply, and what becomes of all others. Throws ApplyRefused for parts that the change does not have. */
export function selectParts(
  { label, changes, applyHunks }: Pick<PendingAction, "label" | "changes" | "applyHunks">,
  { files = [], hunks = [], edits = [] }: NamedParts,
): { selection: ChangeSelection; decided: DecidedParts } {
  const shown = JSON.stringify(label);
  if (!changes || !applyHunks) throw new ApplyRefused("invalid_request", `${shown} cannot be applied in part`);
  const byPath = new Map(changes.map((change) => [change.path, change]));
  for (const path of files) requireChange(byPath, path, shown);
  for (const edit of edits) requireText(requireChange(byPath, edit.path, shown), edit);
  const ownerOf = new Map(changes.flatMap((change) => idsOf(change).map((id) => [id, change.path] as const)));
  const owners = hunks.map((id) => {
    const path = ownerOf.get(id);
    if (path === undefined) throw new ApplyRefused("not_found", `Hunk not found: ${id}. The preview is still pending.`);
    return path;
  });
  requireOnce(
    edits.map(({ path }) => path),
    [...files, ...owners],
  );

  const edited = new Set(edits.map(({ path }) => path));
  const chosen = new Set(hunks);
  const decided: DecidedParts = {
    applied: { files: [], hunks: [] },
    discarded: { files: [], hunks: [] },
    edited: [...edited],
  };
  for (const change of changes) {
    const ids = idsOf(change);
    const count = ids.filter((id) => chosen.has(id)).length;
    const isWhole = edited.has(change.path) || files.includes(change.path) || (count > 0 && count === ids.length);
    if (isWhole) decided.applied.files.push(change.path);
    else if (count === 0) decided.discarded.files.push(change.path);
    else for (const id of ids) (chosen.has(id) ? decided.applied : decided.discarded).hunks.push(id);
  }
  const whole = decided.applied.files.filter((path) => !edited.has(path));
  return { selection: { files: whole, hunks: decided.applied.hunks, edits: [...edits] }, decided };
}

const idsOf = ({ hunks = [] }: FileChange) => hunks.map(({ hunkId }) => hunkId);

function requireChange(byPath: ReadonlyMap<string, FileChange>, path: string, shown: string): FileChange {
  const change = byPath.get(path);
  if (!change) throw new ApplyRefused("invalid_request", `${shown} has no file ${JSON.stringify(path)}`);
  return change;
}

function requireText({ path, binary, type }: FileChange, { content }: FileEdit): void {
  const shown = JSON.stringify(path);
  if (type === "symlink") throw new ApplyRefused("invalid_request", `${shown} is a link and cannot be edited`);
  if (binary) throw new ApplyRefused("invalid_request", `${shown} is a binary file and cannot be edited`);
  const isText = content.isWellFormed() && !content.includes("\0");
  if (!isText) throw new ApplyRefused("invalid_request", `The new text of ${shown} is not valid text`);
}

/** Two instructions for one file contradict each other. */
function requireOnce(edited: readonly string[], others: readonly string[]): void {
  const path = edited.find((one, index) => edited.indexOf(one) !== index || others.includes(one));
  if (path === undefined) return;
  throw new ApplyRefused("invalid_request", `${JSON.stringify(path)} is named in edits and again elsewhere`);
}
