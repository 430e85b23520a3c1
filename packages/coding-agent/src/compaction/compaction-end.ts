import { CompactionError, reasonOf } from "./compaction-error.ts";
import type { AutoReason } from "./compaction-types.ts";

const PREFIX: Record<AutoReason, string> = {
  threshold: "Auto-compaction failed",
  idle: "Auto-compaction failed",
  overflow: "Context overflow recovery failed",
};

export const SECOND_OVERFLOW =
  "Context overflow recovery failed after one compact-and-retry attempt. Shorten the request, or choose a model with a larger context window.";

/** What the end of an automatic compaction says when there is no result. */
export function describeFailure(
  error: unknown,
  reason: AutoReason,
): { aborted: boolean; skipped?: true; errorMessage?: string } {
  if (isCancelled(error)) return { aborted: true };
  const isSkipped = error instanceof CompactionError && (error.code === "nothing" || error.code === "no_model");
  if (isSkipped) return { aborted: false, skipped: true };
  return { aborted: false, errorMessage: `${PREFIX[reason]}: ${reasonOf(error)}` };
}

export function isCancelled(error: unknown): boolean {
  return error instanceof CompactionError && error.code === "cancelled";
}
