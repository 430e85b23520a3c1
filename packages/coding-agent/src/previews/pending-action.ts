import type { ToolResult } from "@pintle/agent";
import type { DecidedParts, FileChange, SessionEventOf } from "@pintle/wire";

/** The new text of a file, in place of the proposed one. */
export interface FileEdit {
  path: string;
  content: string;
}

/** The parts of a change to apply; the rest is discarded. No file is named twice. */
export interface ChangeSelection {
  /** Apply these files as a whole. */
  files: readonly string[];
  /** Apply only these hunks of the files that they belong to. */
  hunks: readonly string[];
  /** Write these contents to files. */
  edits: readonly FileEdit[];
}

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
  /**
   * Applies parts of `changes`, all of them or none. Throws an error whose `code` is `conflict` to refuse because files
   * have changed: it must have written nothing, and the change stays pending.
   */
  applyHunks?(selection: ChangeSelection, reason: string): Promise<ToolResult>;
  /** Cleans up if the change is discarded. A result replaces the default text. */
  reject?(reason: string): Promise<ToolResult | undefined>;
  /** The part of the tool's result that is true only until the decision. */
  pendingNote?: string;
  /** The files that it would write, if it does nothing else. */
  paths?: readonly string[];
  /** What it would change, file by file. With `applyHunks`, hosts can apply any part of it. */
  changes?: readonly FileChange[];
  /** Returns the whole text that it proposes for one of the files in `changes`, to be edited. */
  proposedText?(path: string): Promise<string>;
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
  /** Set for a change with `changes`, unless its apply or discard failed. */
  parts?: DecidedParts;
}

export const NOTHING_PENDING_TEXT = "No pending action to resolve. Nothing to apply or discard.";
