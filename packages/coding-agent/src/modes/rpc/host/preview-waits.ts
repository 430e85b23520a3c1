import type { PendingActionInfo, PendingWait } from "@pintle/wire";

/** The previews a run waits for, as `get_pending` shows them. Others are pending too, but no run waits. */
export function previewWaits(actions: readonly PendingActionInfo[]): PendingWait[] {
  return actions.flatMap(({ actionId, label, sourceToolName, createdAt, deadline }) =>
    deadline === undefined
      ? []
      : [
          {
            kind: "preview" as const,
            id: actionId,
            since: createdAt,
            deadline,
            default: "the change is discarded",
            toolName: sourceToolName,
            label,
          },
        ],
  );
}
