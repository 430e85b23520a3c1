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
  cwd: string;
  name?: string | undefined;
  firstMessage?: string | undefined;
  /** ISO 8601 */
  updatedAt: string;
  messageCount: number;
  /** Open at the server, and what it does. */
  status?: string | undefined;
}

/** Whatever runs the session: a child process, or a gateway. */
export interface Engine {
  /** Resolves when the session takes commands. */
  start(events: EngineEvents): Promise<void>;
  /** After a loss: the same session continues. */
  resume(): Promise<void>;
  /** The one that was written last first. */
  list(): Promise<OtherSession[]>;
  /** Switches to another session; without an id to a new one. If that is a new object, `onSession` receives it. */
  open(id?: string): Promise<void>;
  stop(): Promise<void>;
}

export const MAX_LISTED = 100;
