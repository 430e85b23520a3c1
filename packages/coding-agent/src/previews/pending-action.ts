import type { ToolResult } from "@pintle/agent";
import type { SessionEventOf } from "@pintle/wire";

/** What a tool that stages a change hands over. */
export interface PendingActionInput {
  /** Short summary for people. */
  label: string;
  /** Name of the tool that staged it. */
  sourceToolName: string;
  /** Does the work. Called at most once; must not depend on the reason. */
  apply(reason: string): Promise<ToolResult>;
  /** Does it for some of `paths` only; the result says for which. Without it the change is all or nothing. */
  applyFiles?(files: readonly string[], reason: string): Promise<ToolResult>;
  /** Cleans up when the change is not wanted. A result replaces the usual text. */
  reject?(reason: string): Promise<ToolResult | undefined>;
  /** What the result of the tool says that holds only until the decision. */
  pendingNote?: string;
  /** The files it would write, if that is all it does. */
  paths?: readonly string[];
  /** For the decision, for example the diff. */
  details?: unknown;
}

export interface PendingAction extends PendingActionInput {
  readonly id: string;
  readonly createdAt: number;
}

export type Verdict = SessionEventOf<"pending_action_resolved">["action"];
export type DecidedBy = SessionEventOf<"pending_action_resolved">["by"];

/** How a pending action ended. */
export interface Resolution {
  action: PendingAction;
  verdict: Verdict;
  reason: string;
  by: DecidedBy;
  /** What the apply or discard gave, for the model. Always holds a text. */
  result: ToolResult;
  text: string;
}

export const NOTHING_PENDING_TEXT = "No pending action to resolve. Nothing to apply or discard.";
