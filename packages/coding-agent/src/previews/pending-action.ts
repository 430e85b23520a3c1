import type { ToolResult } from "@pintle/agent";
import type { SessionEventOf } from "@pintle/wire";

/** A change that a tool stages. */
export interface PendingActionInput {
  /** Short summary for people. */
  label: string;
  /** Name of the tool that staged it. */
  sourceToolName: string;
  /** Does the work. Called at most once; must not depend on the reason. */
  apply(reason: string): Promise<ToolResult>;
  /** Applies the change to some of `paths`; the result names them. Without this, the change is all or nothing. */
  applyFiles?(files: readonly string[], reason: string): Promise<ToolResult>;
  /** Cleans up when the change is not wanted. A result replaces the usual text. */
  reject?(reason: string): Promise<ToolResult | undefined>;
  /** The part of the tool's result that is true only until the decision. */
  pendingNote?: string;
  /** The files it would write, if that is all it does. */
  paths?: readonly string[];
  /** Details for the decision, for example the diff. */
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
  /** The result of the apply or discard, for the model. Always contains text. */
  result: ToolResult;
  text: string;
}

export const NOTHING_PENDING_TEXT = "No pending action to resolve. Nothing to apply or discard.";
