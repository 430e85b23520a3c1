import type { Connections } from "../connections/connections.ts";

/** The part of a WebSocket that a link between nodes uses. */
export interface LinkSocket {
  /** Returns -1 if the message was accepted but waits in the socket's buffer. */
  send(text: string): number;
  close(code: number, reason: string): void;
}

/** The program at the other end of a WebSocket: a host, or a node with the hosts that it relays. */
export interface SocketPeer {
  receive(text: string): void;
  /** Closes the socket because of a message that cannot be read. */
  refuse(error: string): void;
  /** Called when the socket accepts more data. */
  drained(): void;
  closed(): void;
}

/** This server, as it introduces itself to other nodes. */
export interface LinkedServer {
  connections: Connections;
  epoch: string;
  version: string;
  /** The longest line of a host that it accepts. */
  maxLineBytes: number;
}

/** Accepts links from other nodes on the port of the web server. packages/cluster implements it. */
export interface NodeSocket {
  /** The path at which nodes connect; hosts connect elsewhere. */
  readonly path: string;
  /** Bytes that a message may have in addition to the longest line of a host. */
  readonly headBytes: number;
  open(socket: LinkSocket, server: LinkedServer): SocketPeer;
}
