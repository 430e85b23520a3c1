/**
 * A serialized frame for a host, which already contains `sessionId` and `seq`. It is spliced as text, not parsed and
 * serialized again.
 */
export interface OutgoingFrame {
  json: string;
  /** Undefined for a frame of the gateway itself. */
  sessionId?: string;
  /** The number of an event or a question; responses have none. */
  seq?: number;
  /** How many frames of the session this one replaces, because older updates were merged into it. */
  merged?: number;
  /** The epoch of the node that numbers the session, if that is another node. */
  epoch?: string;
  /** Lets a newer update with the same key replace this one while the connection is slow. */
  merge?: {
    key: string /** `last`: the newer one replaces the older; `delta`: their text is joined. */;
    kind: "last" | "delta";
  };
}

/** `node` means that the host is connected to another node, which relays it here. */
export type Transport = "stdio" | "socket" | "websocket" | "node";

/**
 * The connection of one host, as sessions see it. Sending never blocks; the connection buffers what a slow host has not
 * read.
 */
export interface Host {
  /** Unique while the gateway runs. */
  readonly id: number;
  readonly transport: Transport | "inside";
  /** Bytes that the host has not read. */
  readonly queuedBytes: number;
  send(frame: OutgoingFrame): void;
  /**
   * Returns a promise while the host has so much unread data that its sessions should stop reading their workers. It resolves when
   * the host reads or has disconnected. Only stdio uses this: other connections are ended with `lagged` instead.
   */
  backPressure(): Promise<void> | undefined;
}

/** The gateway as a connection sees it. */
export interface HostPort {
  /**
   * Receives the host's lines in order. Never throws; errors become responses. `isDamaged` means that the line was not
   * valid UTF-8.
   */
  receive(line: string, isDamaged?: boolean): void;
  /** Called when the host has disconnected. Its tools and questions are released. */
  closed(): void;
  /** Resolves when everything received so far is answered: a parent that has closed its end still reads. */
  answered(): Promise<void>;
}

/** Accepts connections and returns a port for each host. */
export interface Hosts {
  /** Sends `server_ready` as the first frame. */
  accept(host: Host): HostPort;
}
