import type { HostFrame } from "../frames/host-frame.ts";
import type { Host } from "../host.ts";

/** The defaults that a host has set for all its sessions: the fields of a command, by the type of the command. */
export type DefaultCommands = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What a relay needs from the connection of a host. */
export interface RelayedConnection {
  host: Host;
  /** Whether a session is open on this node. */
  isHere(sessionId: string): boolean;
  defaults(): DefaultCommands;
  /** How many commands may wait until the owner of their session is known. */
  maxWaiting: number;
  /** Whether the host may attach to another session. */
  hasRoom(): boolean;
  /** Executes a command on this node. */
  dispatch(frame: HostFrame): void;
}

/** The sessions of one host that are open on other nodes. */
export interface RelayedSessions {
  /** How many of them the host is attached to. */
  readonly size: number;
  isAttached(sessionId: string): boolean;
  /** Returns true if another node executes the command, or if its owner is being looked up. */
  route(frame: HostFrame): boolean;
  /** Looks the owner up again after another node took the session. Returns false after too many attempts. */
  routeAgain(frame: HostFrame): boolean;
  /** Sends a command for which this node has no worker to a node that has one. */
  tryOthers(frame: HostFrame): void;
  /** Sends the changed defaults to the other nodes. */
  defaultsChanged(): void;
  /** Resolves when every command sent so far has a response. */
  answered(): Promise<void>;
  /** Detaches the host, which has disconnected. */
  close(): void;
}

/** Reaches the sessions of other nodes. packages/cluster implements it. */
export interface Relay {
  connect(connection: RelayedConnection): RelayedSessions;
  /** Whether another node could serve a session that needs these labels. Never rejects. */
  hasOther(labels: readonly string[]): Promise<boolean>;
  close(): void;
}
