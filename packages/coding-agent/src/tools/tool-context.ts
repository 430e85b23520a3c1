import type { LazySandbox } from "@pintle/exec";
import type { ProcessRunner } from "@pintle/exec/processes";
import type { Settings } from "../config/settings/settings.ts";
import type { BackgroundJobs } from "../jobs/background-jobs.ts";
import type { ApprovedPaths } from "../permissions/approved-paths.ts";
import type { ApprovedScripts } from "../permissions/approved-scripts.ts";
import type { PendingActionInput } from "../previews/pending-action.ts";
import type { TraceOf } from "../traces/trace-headers.ts";
import type { HostWorkplace } from "./host-workplace.ts";

/** What the built-in tools need from their session. */
export interface ToolContext {
  /** The session's directory, against which relative paths are resolved. */
  cwd(): string;
  /** pintle's own directory, which tools may write only in part. */
  readonly home: string;
  readonly settings: Pick<Settings, "get">;
  /** The paths that calls were approved to access; undefined without permissions. */
  readonly approved?: ApprovedPaths;
  /** The parsed forms of commands that were approved as parsed, which run in their place. */
  readonly scripts?: ApprovedScripts;
  /** Starts all child processes. */
  processRunner(): Promise<ProcessRunner>;
  /** The sandbox for the model's commands. Without it they run unconfined. */
  readonly sandbox?: (Pick<LazySandbox, "for" | "mode"> & Partial<Pick<LazySandbox, "mayEscalate">>) | undefined;
  /** Returns the path of a new private file for output that is too long for a result. Its directory exists. */
  newSpillPath(tool: string): Promise<string>;
  /** Whether the current model accepts images. */
  takesImages(): boolean;
  /** Whether the model has seen or written this file before, by its canonical path. Undefined if that is not tracked. */
  hasSeen?(path: string): boolean;
  /** The host's replacements for this machine's files and shell. */
  workplace?(): HostWorkplace;
  /** Returns the trace for processes that a call starts. */
  readonly traceOf?: TraceOf;
  /** Records a file that is about to be changed, by its real path. A preview is applied without a call of its own. */
  beforeWrite?(real: string, toolCallId?: string): void;
  /** Background jobs, while async work is on. */
  readonly jobs?: BackgroundJobs | undefined;
  /** Stages a change, to be applied or discarded explicitly. */
  pushPendingAction(action: PendingActionInput): void;
}
