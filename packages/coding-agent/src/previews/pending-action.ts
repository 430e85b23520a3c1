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
