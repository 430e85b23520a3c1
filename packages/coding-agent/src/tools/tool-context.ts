import type { LazySandbox } from "@pintle/exec";
import type { ProcessGateway } from "@pintle/exec/processes";
import type { Settings } from "../config/settings/settings.ts";
import type { ApprovedPaths } from "../permissions/approved-paths.ts";
import type { ApprovedScripts } from "../permissions/approved-scripts.ts";
import type { PendingActionInput } from "../previews/pending-action.ts";
import type { TraceOf } from "../traces/trace-headers.ts";
import type { HostWorkplace } from "./host-workplace.ts";

/** What the built-in tools need from the session they work in. */
export interface ToolContext {
  /** The session's directory: relative paths start here. */
  cwd(): string;
  /** pintle's own directory, parts of which no tool may write. */
  readonly home: string;
  readonly settings: Pick<Settings, "get">;
  /** What calls were allowed to touch, if calls are decided on. */
  readonly approved?: ApprovedPaths;
  /** What runs for commands that were allowed because of how they were read. */
  readonly scripts?: ApprovedScripts;
  /** The only way to start a child process. */
  gateway(): Promise<ProcessGateway>;
  /** What the model's commands are started in; without it they run as they are. */
  readonly sandbox?: (Pick<LazySandbox, "for" | "mode"> & Partial<Pick<LazySandbox, "mayEscalate">>) | undefined;
  /** The name of a new private file, for output that is too long for an answer. Its directory exists. */
  newSpillPath(tool: string): Promise<string>;
  /** Whether the current model can be shown an image. */
  takesImages(): boolean;
  /** Whether the model has seen or written this file before, by its canonical path; without it nothing is known. */
  hasSeen?(path: string): boolean;
  /** What a host offers in the place of this machine's files and shell. */
  workplace?(): HostWorkplace;
  /** Where what a call starts belongs. */
  readonly traceOf?: TraceOf;
  /** Takes note of a file that is about to be changed, by its real path. */
  beforeWrite?(real: string): void;
  /** Stages a change that is applied or discarded later, on purpose. */
  pushPendingAction(action: PendingActionInput): void;
}
