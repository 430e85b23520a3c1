import type { StartPlan } from "../workers/start-plan.ts";
import type { LostRun, SessionLog } from "./live-session-options.ts";
import type { WorkerCommands } from "./worker-commands.ts";

/** A session that was just opened, as its log uses it. */
export interface OpenedSession {
  commands: Pick<WorkerCommands, "request">;
  reportLostRun(lost: LostRun): void;
}

/** The log of an open session, if it has one in addition to its file. */
export interface OpenLog extends SessionLog {
  /** The fence of the lease under which it is written. */
  readonly fence: number;
  /** Called when the lease was extended by a statement sent at `sentAt` (`performance.now`). */
  extended(sentAt: number): void;
  /** Writes the session file for the next worker, if it is missing or older than the log. */
  ensureFile(file: string | undefined): Promise<string | undefined>;
  /** Called when the session is open. Reports what its previous owner left unfinished. */
  opened(live: OpenedSession): void;
  /** Stops writing, because another node has taken the session. */
  drop(): void;
  /** Whether another node continues an interrupted run. */
  readonly continuesElsewhere: boolean;
  /** Leaves the session during a run, which its next owner continues. */
  handOver(): Promise<void>;
  /** Releases a closed session, so that another node can open it. */
  release(): Promise<void>;
}

/** A session that an engine has just created. */
export interface NewSession {
  sessionId: string;
  sessionFile: string | undefined;
  plan: StartPlan;
}

/** Creates the logs of new sessions. */
export interface SessionLogs {
  /** Called before anything starts. Throws CommandError if this node cannot serve a session with these labels. */
  checkNeeds(needs: readonly string[]): void;
  /** Resolves with undefined if the session file is the only record. Rejects with CommandError. */
  begin(session: NewSession): Promise<OpenLog | undefined>;
}
