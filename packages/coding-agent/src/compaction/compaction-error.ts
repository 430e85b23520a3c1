import { errorText } from "@pintle/ai";

export type CompactionErrorCode =
  /** There is nothing that a summary could replace. */
  "nothing" | "no_model" | "no_credentials" | "cancelled" | "in_progress" | "not_found" | "failed";

/** A foreseen failure. `message` is what a user who asked for the compaction reads, `reason` the bare fact. */
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
