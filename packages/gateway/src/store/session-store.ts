import type { GatewayParams, GatewayResult } from "@pintle/wire/gateway";
import type { OpenLog, SessionLogs } from "../sessions/open-log.ts";
import type { StartPlan } from "../workers/start-plan.ts";

/** A stored session that hosts may open. */
export interface StoredSession {
  sessionId: string;
  /** Undefined if this machine has no copy of it. */
  sessionFile: string | undefined;
  cwd: string;
}

/** A stored session that an engine can open. */
export interface CheckedOut {
  /** The file that the engine opens. */
  sessionFile: string;
  /** The options of its previous start, which apply again. */
  plan: Pick<StartPlan, "lasting" | "commands">;
  log: OpenLog | undefined;
}

export type ListQuery = GatewayParams<"list_sessions">;
export type SessionPage = GatewayResult<"list_sessions">;

/** Stores the sessions that are not open. All methods reject with CommandError. */
export interface SessionStore extends SessionLogs {
  /**
   * Resolves what a host names; there is no other way. Throws `not_found`, or `not_allowed` if the session is outside
   * the roots.
   */
  resolve(idOrPath: string): Promise<StoredSession>;
  /** Prepares the session for one engine, which then is its only writer. */
  checkOut(session: StoredSession): Promise<CheckedOut>;
  /**
   * Returns the options for a session that is derived from this one. Only stores that several nodes share implement it.
   */
  startedWith?(session: StoredSession): Promise<StartPlan>;
  /** Calls `use` with the session file, to read or copy it. */
  withFile<T>(session: StoredSession, use: (file: string) => Promise<T>): Promise<T>;
  /** Lists stored sessions, newest first. The gateway marks those that are open. */
  list(query: ListQuery): Promise<SessionPage>;
  /** Renames a session that is not open. Needs no worker. */
  rename(session: StoredSession, name: string): Promise<void>;
  remove(sessionId: string): Promise<void>;
  restore(sessionId: string): Promise<void>;
  close(): Promise<void>;
}
