/**
 * A frame for a host, as text: it is spliced rather than parsed and serialized again. The text already contains
 * `sessionId` and `seq`.
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

/** One host's connection, as the sessions see it. Sending never waits; the connection buffers what a slow host has not read. */
export interface Host {
  /** Unique within the gateway's life. */
  readonly id: number;
  readonly transport: Transport | "inside";
  /** Bytes that the host has not read. */
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
  /** Receives the lines of the host in order. Never throws; errors become responses. `isDamaged` means that bytes were not UTF-8. */
  receive(line: string, isDamaged?: boolean): void;
  /** Called when the host is gone. Its tools and questions are released. */
  closed(): void;
  /** Resolves when everything received so far is answered: a parent that has closed its side still reads. */
  answered(): Promise<void>;
}

/** Accepts connections and returns a port for each host. */
export interface Hosts {
  /** Sends `server_ready` as the first frame. */
  accept(host: Host): HostPort;
}
