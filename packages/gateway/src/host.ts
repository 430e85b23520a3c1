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
  /** An update that a newer one may make needless while a connection is slow: frames with the same key. */
  merge?: { key: string /** `last`: the newer says all; `delta`: the texts are joined. */; kind: "last" | "delta" };
}

/** One host's connection, as the sessions see it. Sending never waits; what a slow host has not read is the connection's matter. */
export interface Host {
  /** Unique within the gateway's life. */
  readonly id: number;
  readonly transport: "stdio" | "socket" | "websocket";
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
}

/** What connections are handed to: one port per host. */
export interface Hosts {
  accept(host: Host): HostPort;
}

/** What a connection and the server may use; each is the setting `serve.<key>`, and all are told in `server_ready.limits`. */
export interface ServeLimits {
  maxConnections: number;
  maxWorkers: number;
  /** Bytes of one frame of a host. */
  maxFrameBytes: number;
  /** Bytes that wait for a slow host. */
  maxQueuedBytes: number;
  /** Commands of a connection without their response; more are answered with `busy`. */
  maxInFlight: number;
  maxSessionsPerConnection: number;
}
