import type { ToolResult } from "@pintle/agent";

/** What somebody who stages a change hands over. */
export interface PendingActionInput {
  /** Short summary for people. */
  label: string;
  /** Name of the tool that staged it. */
  sourceToolName: string;
  /** Does the work. Called at most once; must not depend on the reason. */
  apply(reason: string): Promise<ToolResult>;
  /** Cleans up when the change is not wanted. A result replaces the usual text. */
  reject?(reason: string): Promise<ToolResult | undefined>;
  /** For whoever decides, for example the diff. */
  details?: unknown;
}

export interface PendingAction extends PendingActionInput {
  readonly id: string;
  readonly createdAt: number;
}

export type Verdict = "apply" | "discard";
export type DecidedBy = "model" | "host" | "timeout" | "abort" | "session";

/** A pending action as hosts see it. */
export interface PendingActionInfo {
  actionId: string;
  label: string;
  sourceToolName: string;
  details?: unknown;
  createdAt: number;
  /** Only while the run waits for the host. */
  deadline?: number;
}

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
