import type { Host, HostPort, Hosts, OutgoingFrame, Transport } from "../host.ts";
import { OutgoingQueue } from "./outgoing-queue.ts";

/** Unread bytes past which a host that is waited for holds its sessions back. */
const PRESSURE_BYTES = 1024 * 1024;

/** Why the server ends a connection; each transport says it in its own way. */
export type EndReason = "lagged" | "ending";

/** What is known of a frame beside its text; only a transport that hands it on to another queue looks at it. */
export type FrameHead = Omit<OutgoingFrame, "json">;

/** The way of frames to one host, as its transport has it. */
export interface Outlet {
  /** Hands a frame to the system. False: it takes no more for now; the transport calls `goOn` when it does. */
  write(json: string, head?: FrameHead): boolean;
  /** Bytes that were handed over and that the system has not taken. */
  readonly unsentBytes: number;
  /** What was written leaves first, if the host reads it within a moment. */
  end(reason: EndReason): void;
}

export interface ConnectionOptions {
  id: number;
  transport: Transport;
  outlet: Outlet;
  hosts: Hosts;
  /** Bytes that may wait; undefined: nothing is dropped, and sessions wait for the host instead. */
  maxQueuedBytes: number | undefined;
  /** Of the server's cursors. */
  epoch: string;
  onClosed(): void;
}

/** What a connection has carried. */
export interface Traffic {
  framesIn: number;
  framesOut: number;
  charsOut: number;
}

/**
 * One host. Frames go straight to the system as long as it takes them; afterwards they wait, merged where that loses nothing.
 * A host that leaves too much waiting is told where it stood and dropped: it never holds up a session or another host.
 */
export class Connection implements Host {
  readonly id: number;
  readonly transport: Transport;
  readonly traffic: Traffic = { framesIn: 0, framesOut: 0, charsOut: 0 };
  readonly #options: ConnectionOptions;
  readonly #port: HostPort;
  readonly #queue = new OutgoingQueue();
  #isFull = false;
  #isLagged = false;
  #isClosed = false;
  #relief: PromiseWithResolvers<void> | undefined;

  constructor(options: ConnectionOptions) {
    this.id = options.id;
    this.transport = options.transport;
    this.#options = options;
    this.#port = options.hosts.accept(this);
  }

  get isLagged(): boolean {
    return this.#isLagged;
  }

  get queuedBytes(): number {
    return this.#queue.bytes + this.#options.outlet.unsentBytes;
  }

  send(frame: OutgoingFrame): void {
    if (this.#isClosed || this.#isLagged) return;
    if (!this.#isFull && this.#queue.isEmpty) {
      this.#write(frame.json, frame);
      return;
    }
    this.#queue.push(frame);
    const { maxQueuedBytes } = this.#options;
    if (maxQueuedBytes !== undefined && this.queuedBytes > maxQueuedBytes) this.#drop();
  }

  backPressure(): Promise<void> | undefined {
    if (this.#options.maxQueuedBytes !== undefined || this.#isClosed || this.queuedBytes <= PRESSURE_BYTES)
      return undefined;
    this.#relief ??= Promise.withResolvers<void>();
    return this.#relief.promise;
  }

  /** A whole line of the host. */
  receive(line: string): void {
    if (this.#isClosed || this.#isLagged) return;
    this.traffic.framesIn += 1;
    this.#port.receive(line);
  }

  /** A line that is too long to be read. Its command cannot be known, so neither can the id of the answer. */
  refuse(error: string): void {
    this.traffic.framesIn += 1;
    this.send({
      json: JSON.stringify({ type: "response", command: "parse", success: false, error, code: "invalid_request" }),
    });
  }

  /** The system takes frames again. */
  goOn(): void {
    this.#isFull = false;
    while (!this.#isFull && !this.#isClosed) {
      const frame = this.#queue.take();
      if (!frame) break;
      this.#write(frame.toJson(), frame.head);
    }
    if (this.queuedBytes <= PRESSURE_BYTES) this.#relieve();
  }

  /** By the server: the host gets what waits if it reads, and may come back elsewhere or later. */
  end(reason: EndReason): void {
    if (this.#isClosed) return;
    while (reason === "ending" && !this.#queue.isEmpty) this.#flushOne();
    this.#options.outlet.end(reason);
  }

  /** Resolves when all that the host has sent so far is answered. */
  answered(): Promise<void> {
    return this.#port.answered();
  }

  /** The transport has no connection any more. */
  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue.clear();
    this.#relieve();
    if (!this.#isLagged) this.#port.closed();
    this.#options.onClosed();
  }

  #write(json: string, head: FrameHead): void {
    this.traffic.framesOut += 1;
    this.traffic.charsOut += json.length;
    this.#isFull = !this.#options.outlet.write(json, head);
  }

  #flushOne(): void {
    const frame = this.#queue.take()!;
    this.#options.outlet.write(frame.toJson(), frame.head);
  }

  #drop(): void {
    const { epoch, outlet } = this.#options;
    this.#isLagged = true;
    for (const [sessionId, stood] of this.#queue.clear()) {
      outlet.write(JSON.stringify({ type: "lagged", sessionId, cursor: { epoch, ...stood } }));
    }
    queueMicrotask(() => this.#port.closed()); // a session is telling its hosts something right now
    outlet.end("lagged");
  }

  #relieve(): void {
    this.#relief?.resolve();
    this.#relief = undefined;
  }
}
