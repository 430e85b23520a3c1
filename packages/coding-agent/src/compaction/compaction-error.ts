import { errorText } from "@pintle/ai";
import type { AutoReason } from "./compaction-types.ts";

export type CompactionErrorCode =
  /** There is nothing that a summary could replace. */
  "nothing" | "no_model" | "no_credentials" | "cancelled" | "in_progress" | "not_found" | "failed";

/** An expected failure. `message` is shown to the user who requested the compaction; `reason` is for code. */
export class CompactionError extends Error {
  readonly code: CompactionErrorCode;
  readonly reason: string;

  constructor(code: CompactionErrorCode, message: string, reason = message) {
    super(message);
    this.name = "CompactionError";
    this.code = code;
    this.reason = reason;
  }
}

export const cancelled = () => new CompactionError("cancelled", "Compaction cancelled");

export const summaryFailed = (reason: string) =>
  new CompactionError("failed", `Summarization failed: ${reason}`, reason);

export function reasonOf(error: unknown): string {
  if (error instanceof CompactionError) return error.reason;
  return errorText(error);
}

const PREFIX: Record<AutoReason, string> = {
  threshold: "Auto-compaction failed",
  idle: "Auto-compaction failed",
  overflow: "Context overflow recovery failed",
};

export const SECOND_OVERFLOW =
  "Context overflow recovery failed after one compact-and-retry attempt. Shorten the request, or choose a model with a larger context window.";

/** Returns the fields of an automatic compaction's end event when there is no result. */
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
