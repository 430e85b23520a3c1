/**
 * A frame on its way to a host, as text: it is spliced, not parsed and printed again. `sessionId` and `seq` stand in the
 * text already.
 */
export interface OutgoingFrame {
  json: string;
  /** Which session's; none: the gateway's own. */
  sessionId?: string;
  /** Of events and questions. */
  seq?: number;
  /** It stands for so many frames of its session: older updates were merged into it on its way here. */
  merged?: number;
  /** Of the server that numbers the session, where that is another node. */
  epoch?: string;
  /** An update that a newer one may make needless while a connection is slow: frames with the same key. */
  merge?: { key: string /** `last`: the newer says all; `delta`: the texts are joined. */; kind: "last" | "delta" };
}

/** `node`: the host is connected to another node, which carries it here. */
export type Transport = "stdio" | "socket" | "websocket" | "node";

/** One host's connection, as the sessions see it. Sending never waits; what a slow host has not read is the connection's matter. */
export interface Host {
  /** Unique within the gateway's life. */
  readonly id: number;
  readonly transport: Transport | "inside";
  /** What it has not read. */
  readonly queuedBytes: number;
  send(frame: OutgoingFrame): void;
  /**
   * A promise while the host has so much unread that its sessions should stop reading their workers; it resolves when the
   * host reads or is gone. Only stdio ever gives one: the others are dropped with `lagged` instead.
   */
  backPressure(): Promise<void> | undefined;
}

/** The gateway as a connection sees it. */
export interface HostPort {
  /** A whole line of the host, in the order it came. Never throws: what is wrong is answered. */
  receive(line: string): void;
  /** Nothing is sent to the host from now on; its tools and questions are let go. */
  closed(): void;
  /** Resolves when everything received so far is answered: a parent that has closed its side still reads. */
  answered(): Promise<void>;
}

/** What connections are handed to: one port per host. */
export interface Hosts {
  /** The first frame it is sent is `server_ready`. */
  accept(host: Host): HostPort;
}
