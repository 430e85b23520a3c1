import type { RpcCore } from "@pintle/client";

export interface EngineEvents {
  /** A session is there, perhaps before it takes commands: handlers that are added now miss nothing. Once per session. */
  onSession(session: RpcCore): void;
  /** The session has ended by itself, for this reason. */
  onLost(reason: string): void;
}

/** Whatever runs the session: a child process, or a gateway. */
export interface Engine {
  /** Resolves when the session takes commands. */
  start(events: EngineEvents): Promise<void>;
  /** After a loss: the same session goes on. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}
