import type { FileSummary } from "@pintle/wire";
import type { PendingActionInput } from "../previews/pending-action.ts";

/** The changes that a subagent made in its separate directory. */
export interface IsolatedChanges {
  filesChanged: FileSummary[];
  /** The stored patch; absent if nothing changed. */
  patchPath?: string;
  /** Applies the patch to the directory of the session. Staged in the session, not in the subagent. */
  preview?: PendingActionInput;
  /** Why the changes could not be collected; names the directory, which is kept. */
  problem?: string;
}

/** A directory in which one subagent works, apart from that of its session. */
export interface IsolatedWorkspace {
  /** Absolute, with links resolved. */
  readonly cwd: string;
  /**
   * Called once, after the subagent has ended: collects its changes and removes what is no longer needed. Does not
   * reject.
   */
  finish(): Promise<IsolatedChanges>;
}

/** Creates separate directories for subagents. */
export interface Isolation {
  /** Throws an error for the model if `cwd` cannot be isolated; the task then fails. */
  start(
    subagent: { id: string; cwd: string; sessionFile: string | undefined },
    signal: AbortSignal,
  ): Promise<IsolatedWorkspace>;
}
