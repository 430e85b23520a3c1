import type { OutgoingFrame } from "@pintle/gateway/cluster";
import {
  decodeMessage,
  type EntryMessage,
  encodeMessage,
  type OwnerMessage,
  type ReceivedMessage,
} from "../link-message.ts";

/** One host on the link. */
export interface ChannelListener {
  /** Receives a frame for the host, numbered by the node that has the session. */
  onFrame(frame: OutgoingFrame): void;
  /** Called once, when the other node has ended the channel or the link is lost. */
  onEnd(): void;
}

interface Channel {
  listener: ChannelListener;
  /** Number of characters sent that the other node has not acknowledged. */
  unread: number;
}

/** The part of Bun's WebSocket in use. */
export interface LinkWebSocket {
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  send(text: string): void;
  close(): void;
  terminate(): void;
}

export interface NodeLinkOptions {
  socket: LinkWebSocket;
  /** The version of the other node. */
  epoch: string;
  maxLineBytes: number;
  nodeId?: string | undefined;
  version?: string | undefined;
  /** How many characters of one host may wait for the other node. */
  maxUnread: number;
  /** A node that sends nothing for this long no longer has the sessions, or will soon lose them, because its lease ends. */
  silentMs: number;
  onClosed(): void;
}

/** A link to another node. It relays the hosts that are connected here to the sessions there. */
export class NodeLink {
  readonly epoch: string;
  readonly #options: NodeLinkOptions;
  readonly #channels = new Map<number, Channel>();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #intervalMs: number;
  #lastHeard = performance.now();
  #lastLook = performance.now();
  #count = 0;
  #isClosed = false;

  constructor(options: NodeLinkOptions) {
    this.#options = options;
    this.epoch = options.epoch;
    options.socket.onmessage = ({ data }) => this.#receive(String(data));
    options.socket.onclose = () => this.#closed();
    this.#intervalMs = Math.max(options.silentMs / 4, 10);
    this.#timer = setInterval(() => this.#look(performance.now()), this.#intervalMs);
    this.#timer.unref();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The other node's limit; undefined if its version does not send it. */
  get nodeId(): string | undefined {
    return this.#options.nodeId;
  }

  get maxLineBytes(): number {
    return this.#options.maxLineBytes;
  }

  /** Number of relayed hosts. */
  get size(): number {
    return this.#channels.size;
  }

  /** Adds a host and returns its number on this link. */
  open(listener: ChannelListener, { isWaitedFor }: { isWaitedFor: boolean }): number {
    this.#count += 1;
    const ch = this.#count;
    this.#channels.set(ch, { listener, unread: 0 });
    this.#send({ type: "open", ch, ...(isWaitedFor && { waits: true }) });
    return ch;
  }

  /** Returns false, without sending the line, if too much of this host already waits for the other node. */
  line(ch: number, line: string): boolean {
    const channel = this.#channels.get(ch);
    if (!channel) return true; // the close event reports its end
    if (channel.unread + line.length > this.#options.maxUnread) return false;
    channel.unread += line.length;
    this.#send({ type: "line", ch }, line);
    return true;
  }

  /** Sets whether the host reads. */
  pause(ch: number, type: "pause" | "resume"): void {
    if (this.#channels.has(ch)) this.#send({ type, ch });
  }

  /** Removes the host; its listener receives nothing more. */
  leave(ch: number): void {
    if (this.#channels.delete(ch)) this.#send({ type: "close", ch });
  }

  close(): void {
    this.#options.socket.close();
    this.#closed();
  }

  #send(message: EntryMessage, payload?: string): void {
    if (!this.#isClosed) this.#options.socket.send(encodeMessage(message, payload));
  }

  #receive(text: string): void {
    this.#lastHeard = performance.now();
    const message = decodeMessage<OwnerMessage>(text);
    if (message) this.#take(message);
    else this.close();
  }

  #take({ head, payload }: ReceivedMessage<OwnerMessage>): void {
    const channel = "ch" in head ? this.#channels.get(head.ch) : undefined;
    if (!channel || !("ch" in head)) return; // a pong, or a frame for a host that has left
    if (head.type === "frame") {
      const { type: _type, ch: _ch, ...facts } = head;
      channel.listener.onFrame({ json: payload, epoch: this.epoch, ...facts });
    } else if (head.type === "taken") channel.unread -= head.chars;
    else this.#ended(head.ch, channel);
  }

  #ended(ch: number, { listener }: Channel): void {
    this.#channels.delete(ch);
    listener.onEnd();
  }

  #look(now: number): void {
    const isLate = now - this.#lastLook > 2 * this.#intervalMs;
    this.#lastLook = now;
    if (isLate)
      this.#lastHeard = now; // this process itself was suspended, and has not read what arrived meanwhile
    else if (now - this.#lastHeard > this.#options.silentMs) {
      this.#options.socket.terminate();
      this.#closed();
      return;
    }
    this.#send({ type: "ping" });
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#options.onClosed();
    for (const [ch, channel] of [...this.#channels]) this.#ended(ch, channel);
  }
}
