import type { GatewayParams, GatewayResult } from "@pintle/wire/gateway";
import type { LiveSession } from "../sessions/live-session.ts";
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

export type WhileOpen = (work: (live: LiveSession) => Promise<void>) => Promise<void>;

export type ListQuery = GatewayParams<"list_sessions">;
export type SessionPage = GatewayResult<"list_sessions">;

/** Where sessions are kept that are not open. All reject with CommandError. */
export interface Library extends SessionLogs {
  /** Only this turns what a host says into a session: `not_found`, or `not_allowed` when it lives outside the roots. */
  resolve(idOrPath: string): Promise<StoredSession>;
  /** For one engine at a time, which then writes it. */
  checkOut(session: StoredSession): Promise<CheckedOut>;
  /** With a file of what is stored, to be read and copied from. */
  withFile<T>(session: StoredSession, use: (file: string) => Promise<T>): Promise<T>;
  /** Newest first; as stored: which are open here, the gateway knows. */
  list(query: ListQuery): Promise<SessionPage>;
  /** Of one that is not open. Where only an engine may write, `whileOpen` has it opened for as long as that takes. */
  rename(session: StoredSession, name: string, whileOpen: WhileOpen): Promise<void>;
  remove(sessionId: string): Promise<void>;
  restore(sessionId: string): Promise<void>;
  close(): Promise<void>;
}
