import type { StartPlan } from "../workers/start-plan.ts";
import type { LiveSession } from "./live-session.ts";
import type { SessionLog } from "./live-session-options.ts";

/** The log of a session that is open here, where there is one beside the files. */
export interface OpenLog extends SessionLog {
  /** Of the lease under which it is written. */
  readonly fence: number;
  /** The lease was extended by a statement that was sent then, in the time of `performance.now`. */
  extended(sentAt: number): void;
  /** A worker that comes back needs the file. */
  ensureFile(file: string | undefined): Promise<string | undefined>;
  /** The session is open: what its owner before has left is told. */
  opened(live: LiveSession): void;
  /** Another node has it: nothing is written any more. */
  drop(): void;
  /** Whether another node continues a run that was cut off. */
  readonly continuesElsewhere: boolean;
  /** It is left in the middle of a run, which its next owner continues. */
  handOver(): Promise<void>;
  /** It is closed; another node may open it. */
  release(): Promise<void>;
}

/** A session that an engine has just made. */
export interface NewSession {
  sessionId: string;
  sessionFile: string | undefined;
  plan: StartPlan;
}

/** Where logs of new sessions come from. */
export interface SessionLogs {
  /** Before anything is started. Throws CommandError when a session with such needs has no place here. */
  checkNeeds(needs: readonly string[]): void;
  /** Undefined: the session file is all there is. Rejects with CommandError. */
  begin(session: NewSession): Promise<OpenLog | undefined>;
}
