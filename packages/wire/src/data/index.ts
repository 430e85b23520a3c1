// The data of responses and events, a file per topic: `XSchema` is the declaration of the type X. Built when loaded, so
// code that runs at startup imports the types from the main entry instead.

export type { DecidedParts } from "../fields.ts";
export * from "./available-command.ts";
export * from "./background-job.ts";
export * from "./bash-result.ts";
export * from "./budget.ts";
export * from "./cache-break.ts";
export * from "./compaction.ts";
export * from "./completed-path.ts";
export * from "./effective-setting.ts";
export {
  type Checkpoint,
  CheckpointSchema,
  type ConflictKind,
  type FileChange,
  FileChangeSchema,
  type FileSummary,
  FileSummarySchema,
  type Hunk,
  HunkSchema,
  type RewindResult,
  RewindResultSchema,
  type UndoState,
  UndoStateSchema,
} from "./file-change.ts";
export { type FrameId, FrameIdSchema } from "./frame-id.ts";
export * from "./host-tool.ts";
export * from "./interruption.ts";
export * from "./job.ts";
export * from "./listed-session.ts";
export * from "./mcp-server.ts";
export * from "./output-schema.ts";
export * from "./pending-action.ts";
export * from "./pending-wait.ts";
export * from "./permissions.ts";
export * from "./queue.ts";
export {
  type ModelUse,
  ModelUseSchema,
  type RunDenial,
  RunDenialSchema,
} from "./run-result.ts";
export * from "./running-tool.ts";
export * from "./sandbox-status.ts";
export * from "./server-state.ts";
export * from "./session-cursor.ts";
export * from "./session-entry.ts";
export * from "./session-state.ts";
export * from "./session-stats.ts";
export * from "./shared-fields.ts";
export * from "./stream-rule.ts";
export * from "./subagent.ts";
export * from "./todos.ts";
