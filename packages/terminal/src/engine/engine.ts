import type { RpcCore } from "@pintle/client";

export interface EngineEvents {
  /** A session is there, perhaps before it takes commands: handlers that are added now miss nothing. Once per session. */
  onSession(session: RpcCore): void;
  /** The session has ended by itself, for this reason. */
  onLost(reason: string): void;
  /** Something the user should know. */
  onNotice(text: string): void;
}

/** A session that could be opened in the place of this one. */
export interface OtherSession {
  /** As `open` takes it. */
  id: string;
  sessionId: string;
  cwd: string;
  name?: string | undefined;
  firstMessage?: string | undefined;
  /** ISO 8601 */
  updatedAt: string;
  messageCount: number;
  /** Open at the server, and what it does. */
  status?: string | undefined;
}

/** The stored sessions, apart from the one that is open. */
export interface SessionLibrary {
  /** Lists the sessions of this directory or of all, the one that was written last first. */
  list(scope: { isEverywhere: boolean }): Promise<OtherSession[]>;
  rename(session: OtherSession, name: string): Promise<void>;
  /** Moves the session to the trash. Rejects if it is open. */
  delete(session: OtherSession): Promise<void>;
  /** Undoes a deletion. */
  restore(session: OtherSession): Promise<void>;
}

/** Runs the session: in a child process, or at a gateway. */
export interface Engine extends SessionLibrary {
  /** Resolves when the session takes commands. */
  start(events: EngineEvents): Promise<void>;
  /** After a loss: the same session continues. */
  resume(): Promise<void>;
  /** Switches to another session; without an id to a new one. If that is a new object, `onSession` receives it. */
  open(id?: string): Promise<void>;
  stop(): Promise<void>;
}

export const MAX_LISTED = 100;
