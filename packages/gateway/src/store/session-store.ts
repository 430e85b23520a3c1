import type { GatewayParams, GatewayResult } from "@pintle/wire/gateway";
import type { OpenLog, SessionLogs } from "../sessions/open-log.ts";
import type { StartPlan } from "../workers/start-plan.ts";

/** A stored session that hosts may open. */
export interface StoredSession {
  sessionId: string;
  /** Undefined: this machine has no copy of it. */
  sessionFile: string | undefined;
  cwd: string;
}

/** A stored session, ready to be opened by an engine. */
export interface CheckedOut {
  /** The file that the engine opens. */
  sessionFile: string;
  /** What it was started with before, for this start too. */
  plan: Pick<StartPlan, "lasting" | "commands">;
  log: OpenLog | undefined;
}

export type ListQuery = GatewayParams<"list_sessions">;
export type SessionPage = GatewayResult<"list_sessions">;

/** Where sessions are kept that are not open. All reject with CommandError. */
export interface SessionStore extends SessionLogs {
  /** The only way to resolve what a host names. Throws `not_found`, or `not_allowed` if the session is outside the roots. */
  resolve(idOrPath: string): Promise<StoredSession>;
  /** Prepares the session for one engine, which then is its only writer. */
  checkOut(session: StoredSession): Promise<CheckedOut>;
  /** Returns the options for a session that is opened from this one. Only stores that several nodes share implement it. */
  startedWith?(session: StoredSession): Promise<StartPlan>;
  /** Calls `use` with a file of the stored session, to read or copy. */
  withFile<T>(session: StoredSession, use: (file: string) => Promise<T>): Promise<T>;
  /** Lists stored sessions, newest first. The gateway adds which of them are open. */
  list(query: ListQuery): Promise<SessionPage>;
  /** Renames a session that is not open. Needs no worker. */
  rename(session: StoredSession, name: string): Promise<void>;
  remove(sessionId: string): Promise<void>;
  restore(sessionId: string): Promise<void>;
  close(): Promise<void>;
}
