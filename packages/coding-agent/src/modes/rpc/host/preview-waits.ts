import type { PendingActionInfo, PendingWait } from "@pintle/wire";

/** Returns the previews that a run waits for, as in `get_pending`. Other pending previews block no run. */
export function previewWaits(actions: readonly PendingActionInfo[]): PendingWait[] {
  return actions.flatMap(({ actionId, label, sourceToolName, createdAt, deadline, subagent }) =>
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
            ...(subagent && { subagent }),
          },
        ],
  );
}
