import type { RpcCore } from "@pintle/client";

export interface EngineEvents {
  /** Called once per session, perhaps before it accepts commands, so handlers added here miss nothing. */
  onSession(session: RpcCore): void;
  /** The session ended unexpectedly, for this reason. */
  onLost(reason: string): void;
  /** A notice for the user. */
  onNotice(text: string): void;
}

/** A session that can be opened instead of this one. */
export interface OtherSession {
  /** The argument for `open`. */
  id: string;
  sessionId: string;
  cwd: string;
  name?: string | undefined;
  firstMessage?: string | undefined;
  /** ISO 8601 */
  updatedAt: string;
  messageCount: number;
  /** What the session is doing, if it is open at the server. */
  status?: string | undefined;
}

export interface ListScope {
  isEverywhere: boolean;
  /** Words that must all appear in a session's name, directory or messages. */
  query?: string;
}

/** The stored sessions, apart from the one that is open. */
export interface SessionLibrary {
  /** Lists the sessions of this directory or of all directories, the most recently written first. */
  list(scope: ListScope): Promise<OtherSession[]>;
  rename(session: OtherSession, name: string): Promise<void>;
  /** Moves the session to the trash. Rejects if it is open. */
  delete(session: OtherSession): Promise<void>;
  /** Undoes a deletion. */
  restore(session: OtherSession): Promise<void>;
}

/** Runs the session: in a child process, or at a gateway. */
export interface Engine extends SessionLibrary {
  /** Resolves when the session accepts commands. */
  start(events: EngineEvents): Promise<void>;
  /** Continues the same session after a loss. */
  resume(): Promise<void>;
  /** Switches to another session; without an id to a new one. If that is a new object, `onSession` receives it. */
  open(id?: string): Promise<void>;
  stop(): Promise<void>;
}

export const MAX_LISTED = 100;
