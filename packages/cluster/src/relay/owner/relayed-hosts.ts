import type { Connection, Connections, LinkSocket, SocketPeer } from "@pintle/gateway/cluster";
import {
  decodeMessage,
  type EntryMessage,
  encodeMessage,
  type Hello,
  type OwnerMessage,
  type ReceivedMessage,
} from "../link-message.ts";
import { ChannelOutlet, type ChannelOutput } from "./channel-outlet.ts";

interface RelayedHost {
  connection: Connection;
  outlet: ChannelOutlet;
  /** Characters of its lines that have not been acknowledged to the other node. */
  taken: number;
}

/** Close codes of RFC 6455. */
const PROTOCOL_ERROR = 1002;
/** Lines are acknowledged to the other node in portions of this many characters. */
const TAKEN_CHARS = 64 * 1024;

/**
 * A link from another node, with the hosts that it relays to the sessions here. Each host is an ordinary connection with its
 * own queue and limit, so one that does not read affects neither the link nor the other hosts.
 */
export class RelayedHosts implements ChannelOutput, SocketPeer {
  readonly #socket: LinkSocket;
  readonly #connections: Connections;
  readonly #hosts = new Map<number, RelayedHost>();
  #isFull = false;

  constructor(socket: LinkSocket, connections: Connections, hello: Hello) {
    this.#socket = socket;
    this.#connections = connections;
    this.send({ type: "hello", ...hello });
  }

  send(message: OwnerMessage, payload?: string): boolean {
    if (this.#socket.send(encodeMessage(message, payload)) === -1) this.#isFull = true;
    return !this.#isFull;
  }

  /** Handles a message of the other node. An invalid one means that another program is connected, so the link is closed. */
  receive(text: string): void {
    const message = decodeMessage<EntryMessage>(text);
    if (message) this.#take(message);
    else this.refuse("this is not a message between nodes");
  }

  #take({ head, payload }: ReceivedMessage<EntryMessage>): void {
    if (head.type === "ping") this.send({ type: "pong" });
    else if (head.type === "open") this.#open(head.ch, head.waits === true);
    else {
      const host = this.#hosts.get(head.ch); // frames for a channel that ended here may still be in flight
      if (host) ON_MESSAGE[head.type]?.(this, head.ch, host, payload);
    }
  }

  /** Closes the link after an invalid message. */
  refuse(error: string): void {
    this.#socket.close(PROTOCOL_ERROR, error);
  }

  /** Called when the socket accepts data again. */
  drained(): void {
    this.#isFull = false;
    for (const { connection, outlet } of this.#hosts.values()) if (!outlet.isPaused) connection.drained();
  }

  /** Called when the link is lost, and its hosts with it. */
  closed(): void {
    for (const ch of [...this.#hosts.keys()]) this.ended(ch);
  }

  ended(ch: number): void {
    const host = this.#hosts.get(ch);
    this.#hosts.delete(ch);
    host?.connection.closed();
  }

  take(ch: number, host: RelayedHost, line: string): void {
    host.taken += line.length;
    if (host.taken >= TAKEN_CHARS) {
      this.send({ type: "taken", ch, chars: host.taken });
      host.taken = 0;
    }
    host.connection.receive(line);
  }

  #open(ch: number, isWaitedFor: boolean): void {
    if (!this.#connections.hasRoom()) {
      this.send({ type: "ended", ch });
      return;
    }
    const outlet = new ChannelOutlet(ch, this);
    const connection = this.#connections.open("node", outlet, { isWaitedFor });
    this.#hosts.set(ch, { connection, outlet, taken: 0 });
  }
}

type OnMessage = (link: RelayedHosts, ch: number, host: RelayedHost, payload: string) => void;

/** Ignores messages that only newer nodes send. */
const ON_MESSAGE: Readonly<Partial<Record<EntryMessage["type"], OnMessage>>> = {
  line: (link, ch, host, line) => link.take(ch, host, line),
  pause: (_link, _ch, { outlet }) => outlet.pause(true),
  resume(_link, _ch, { outlet, connection }) {
    outlet.pause(false);
    connection.drained();
  },
  close: (link, ch) => link.ended(ch),
};
