import type { AgentSessionEvent, SessionEntry } from "@pintle/wire";
import type { Coverage } from "./coverage.ts";
import type { RewindDisk } from "./rewind/execute-rewind.ts";
import type { ScanLimits } from "./scan/workspace-scan.ts";
import type { SessionLog } from "./tracking/change-recorder.ts";

/** The values of `checkpoints.*`. */
export interface CheckpointSettings extends ScanLimits {
  include: readonly string[];
}

/** The parts of the open session that undo uses. */
export interface CheckpointSession extends SessionLog {
  /** All entries in file order, on every branch. */
  entries(): readonly SessionEntry[];
}

export interface CheckpointsParts {
  session: CheckpointSession;
  /** The directory of the store. */
  directory: string;
  /** The session's directory and the other directories of the workspace, as real paths. */
  cwd: string;
  roots: readonly string[];
  /** The real path of pintle's own directory. */
  home: string;
  settings: CheckpointSettings;
  coverage: Coverage;
  /** Makes the changes of a rewind. */
  disk?: RewindDisk | undefined;
  /** Whether commands of this session are running in the background. */
  hasBackground(): boolean;
  now(): number;
  emit(event: AgentSessionEvent): void;
}
