import type { PendingActionInput } from "../../previews/pending-action.ts";
import type { CustomToolPendingAction } from "../api/tool-types.ts";

/** Converts a staged change of a user's module. The store rejects whatever is missing or wrong. */
export function toPendingInput(action: CustomToolPendingAction, defaultSource: string): PendingActionInput {
  const { label, sourceToolName = defaultSource, details }: CustomToolPendingAction = Object(action);
  return {
    label,
    sourceToolName,
    // Keep `this` for methods.
    apply: typeof action?.apply === "function" ? (reason) => action.apply(reason) : action?.apply,
    ...(action?.reject && { reject: async (reason: string) => action.reject?.(reason) }),
    ...(details !== undefined && { details }),
  };
}
