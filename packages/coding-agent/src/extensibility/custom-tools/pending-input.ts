import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isSystemError } from "@pintle/foundation";
import type { FileChange } from "@pintle/wire";
import { ApplyRefused, asRefusal } from "../../previews/apply-refused.ts";
import type { PendingActionInput } from "../../previews/pending-action.ts";
import type { CustomToolPendingAction } from "../api/tool-types.ts";
import { requireChanges } from "./staged-changes.ts";

interface Defaults {
  sourceToolName: string;
  cwd(): string;
}

/** Converts a staged change of a user's module. The store rejects whatever is missing or wrong. */
export function toPendingInput(action: CustomToolPendingAction, defaults: Defaults): PendingActionInput {
  const { label, sourceToolName = defaults.sourceToolName, details }: CustomToolPendingAction = Object(action);
  return {
    label,
    sourceToolName,
    // Keep `this` for methods.
    apply: typeof action?.apply === "function" ? (reason) => action.apply(reason) : action?.apply,
    ...(action?.reject && { reject: async (reason: string) => action.reject?.(reason) }),
    ...(details !== undefined && { details }),
    ...(action?.changes !== undefined && toChanges(action, requireChanges(action.changes), defaults.cwd)),
  };
}

function toChanges(
  action: CustomToolPendingAction,
  changes: readonly FileChange[],
  cwd: () => string,
): Partial<PendingActionInput> {
  if (typeof action.applyHunks !== "function") return { changes };
  return {
    changes,
    async applyHunks(selection, reason) {
      try {
        return (await action.applyHunks?.(selection, reason)) ?? { content: [] };
      } catch (error) {
        throw asRefusal(error) ?? error;
      }
    },
    proposedText: async (path) => {
      if (action.proposedText) return String(await action.proposedText(path));
      return readProposal(
        changes.find((change) => change.path === path),
        cwd(),
      );
    },
  };
}

/** Makes the hunks of a file in its current text. */
async function readProposal(change: FileChange | undefined, cwd: string): Promise<string> {
  const { patchText } = await import("../../file-changes/index.ts");
  const path = change?.oldPath ?? change?.path ?? "";
  const current = await readFile(resolve(cwd, path), "utf8").catch((error) => {
    if (isSystemError(error) && error.code === "ENOENT") return "";
    throw error;
  });
  const text = change?.truncated ? undefined : patchText(current, change?.hunks ?? []);
  if (text === undefined) throw new ApplyRefused("conflict", `${path} has changed since the preview`);
  return text;
}
