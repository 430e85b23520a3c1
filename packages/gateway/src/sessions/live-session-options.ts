import type { SessionCursor } from "@pintle/wire";
import type { WorkerProcess } from "../workers/worker-process.ts";
import type { CommandTraces } from "./command-traces.ts";
import type { RingLimits } from "./frame-ring.ts";
import type { OpenGate } from "./line-gate.ts";

export interface LiveSessionOptions {
  sessionId: string;
  epoch: string;
  /** Numbers up to this one were used by the same session before it was closed. */
  firstSeq: number;
  ring: RingLimits;
  idleMs: number;
  traces?: CommandTraces | undefined;
  /** There were entries when it was opened. */
  isStored: boolean;
  /** A log alongside the session file. */
  log?: SessionLog | undefined;
  /** Without one frames are passed on as they come. */
  openGate?: OpenGate | undefined;
  /** What every worker is told before anything else. */
  commands: readonly Record<string, unknown>[];
  process: WorkerProcess;
  /** Another worker for the same session. */
  start(): Promise<WorkerProcess>;
  /** The worker has this session open. */
  onMoved(sessionId: string, sessionFile: string): void;
  /** Another node has taken the session. */
  onLost?(): void;
}

/** A session's log beside its file, and what it knows from the time before. */
export interface SessionLog {
  openGate: OpenGate;
  /** Answers to commands with a key. */
  answered: Iterable<{ key: string; tail: string }>;
  /** Commands that hold for the session and that its file does not know. */
  kept: readonly string[];
  /** Milliseconds in which the engine may work before the lease must be confirmed again; 0 or less if it must not. */
  workableMs(): number;
}

/** What an earlier node left unfinished. */
export interface LostRun {
  prompts: readonly { text: string; commandKey?: string; entryId?: string }[];
  uncertain: readonly string[];
}

export interface AttachAnswer {
  attached(cursor: SessionCursor, resync: boolean): void;
  /** With the response, behind its id, that says why not. */
  failed(tail: string): void;
}
