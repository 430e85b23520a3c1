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

/** A subagent that gets a directory of its own. */
export interface IsolatedSubagent {
  id: string;
  /** The directory of the session that starts it. */
  cwd: string;
  /** The file of the session that receives its changes; undefined if it is only in memory. */
  sessionFile: string | undefined;
  /** Records a file that is about to be changed, by its real path. */
  beforeWrite?: ((real: string) => void) | undefined;
}

/** The directory of a subagent whose process was killed. */
export interface LeftWorkspace {
  childId: string;
  directory: string;
  /** The changes, if they could be stored. */
  patchPath?: string;
  /** What the patch does not contain, or why there is none. */
  missing: string[];
}

/** Creates separate directories for subagents. */
export interface Isolation {
  /** Throws an error for the model if `cwd` cannot be isolated; the task then fails. */
  start(subagent: IsolatedSubagent, signal: AbortSignal): Promise<IsolatedWorkspace>;
  /** Stores what killed processes of a session left behind. Returns what the model has not been informed of. */
  recover(sessionFile: string): Promise<LeftWorkspace[]>;
}
