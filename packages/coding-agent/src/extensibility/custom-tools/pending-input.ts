import type { PendingActionInput } from "../../previews/pending-action.ts";
import type { CustomToolPendingAction } from "../api/tool-types.ts";

/** A staged change as users' modules write it. What is missing or wrong is left for the store to refuse. */
export function toPendingInput(action: CustomToolPendingAction, defaultSource: string): PendingActionInput {
  const { label, sourceToolName = defaultSource, details }: CustomToolPendingAction = Object(action);
  return {
    label,
    sourceToolName,
    // Methods keep their object.
    apply: typeof action?.apply === "function" ? (reason) => action.apply(reason) : action?.apply,
    ...(action?.reject && { reject: async (reason: string) => action.reject?.(reason) }),
    ...(details !== undefined && { details }),
  };
}
