import type { SessionCursor } from "@pintle/wire";
import type { WorkerProcess } from "../workers/worker-process.ts";
import type { CommandTraces } from "./command-traces.ts";
import type { OpenHold } from "./frame-hold.ts";
import type { RingLimits } from "./frame-ring.ts";

export interface LiveSessionOptions {
  sessionId: string;
  epoch: string;
  /** Frame numbers up to this one were used before the session was closed and opened again. */
  firstSeq: number;
  ring: RingLimits;
  idleMs: number;
  /** How long tools of a lost connection wait for their host. */
  hostToolGraceMs?: number | undefined;
  traces?: CommandTraces | undefined;
  /** Whether the session had entries when it was opened. */
  isStored: boolean;
  /** The name that the session was opened with. */
  name?: string | undefined;
  /** A log alongside the session file. */
  log?: SessionLog | undefined;
  /** Creates the hold of a session without a log. By default, frames pass through. */
  openHold?: OpenHold | undefined;
  /** Commands that every worker receives first. */
  commands: readonly Record<string, unknown>[];
  process: WorkerProcess;
  /** Starts another worker for the same session. */
  start(): Promise<WorkerProcess>;
  /** Starts a worker for one command that does not count against the limit. */
  startHelper(): Promise<WorkerProcess>;
  /** Called when the worker has opened this session. */
  onMoved(sessionId: string, sessionFile: string): void;
  /** Called when another node has taken the session. */
  onLost?(): void;
}

/** A session's log in addition to its file, together with its earlier state. */
export interface SessionLog {
  openHold: OpenHold;
  /** Responses to commands with a key. */
  answered: Iterable<{ key: string; tail: string }>;
  /** Commands that apply to the session but are not stored in its file. */
  kept: readonly string[];
  /**
   * Returns how many milliseconds the engine may work before the lease must be confirmed again; 0 or less if it must
   * stop.
   */
  workableMs(): number;
}

/** A run that an earlier node left unfinished. */
export interface LostRun {
  prompts: readonly { text: string; commandKey?: string; entryId?: string }[];
  uncertain: readonly string[];
}

export interface AttachAnswer {
  attached(cursor: SessionCursor, resync: boolean): void;
  /** Called with the failure response, without its id. */
  failed(tail: string): void;
}
