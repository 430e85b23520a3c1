import type { Host, HostPort, Hosts, OutgoingFrame, Transport } from "../host.ts";
import { OutgoingQueue } from "./outgoing-queue.ts";

/** How many unread bytes of a host on stdio pause its sessions. */
const PRESSURE_BYTES = 1024 * 1024;

/** Why the server ends a connection; each transport reports it in its own way. */
export type EndReason = "lagged" | "ending";

/** Metadata of a frame; only a transport that passes it on to another queue uses it. */
export type FrameHead = Omit<OutgoingFrame, "json">;

/** The frame output of one host, provided by its transport. */
export interface Outlet {
  /**
   * Writes a frame. Returns false if the system accepts no more data for now; the transport then calls `drained` when it
   * does.
   */
  write(json: string, head?: FrameHead): boolean;
  /** Bytes that were written but not yet accepted by the system. */
  readonly unsentBytes: number;
  /** Ends the connection once the host has read what was written, or after a short time. */
  end(reason: EndReason): void;
}

export interface ConnectionOptions {
  id: number;
  transport: Transport;
  outlet: Outlet;
  hosts: Hosts;
  /** How many bytes may wait; if undefined, nothing is dropped, and sessions wait for the host instead. */
  maxQueuedBytes: number | undefined;
  /** The epoch of the server's cursors. */
  epoch: string;
  onClosed(): void;
}

/** Counters of one connection. */
export interface Traffic {
  framesIn: number;
  framesOut: number;
  charsOut: number;
}

/**
 * One host. Frames are written immediately as long as the system accepts them; otherwise they wait, merged where that loses
 * nothing. A host that leaves too much unread receives its cursor and is disconnected: it never delays a session or another
 * host.
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

  /** Receives a line of the host. */
  receive(line: string, isDamaged = false): void {
    if (this.#isClosed || this.#isLagged) return;
    this.traffic.framesIn += 1;
    this.#port.receive(line, isDamaged);
  }

  /** Answers a line that is too long. The command is unknown, so the response has no id. */
  refuse(error: string): void {
    this.traffic.framesIn += 1;
    this.send({
      json: JSON.stringify({ type: "response", command: "parse", success: false, error, code: "invalid_request" }),
    });
  }

  /** Called when the system accepts frames again. */
  drained(): void {
    this.#isFull = false;
    while (!this.#isFull && !this.#isClosed) {
      const frame = this.#queue.take();
      if (!frame) break;
      this.#write(frame.toJson(), frame.head);
    }
    if (this.queuedBytes <= PRESSURE_BYTES) this.#relieve();
  }

  /** Ends the connection. A host that reads receives everything that waits for it, and may reconnect. */
  end(reason: EndReason): void {
    if (this.#isClosed) return;
    while (reason === "ending" && !this.#queue.isEmpty) this.#flushOne();
    this.#options.outlet.end(reason);
  }

  /** Resolves when everything that the host has sent so far is answered. */
  answered(): Promise<void> {
    return this.#port.answered();
  }

  /** Called when the transport has lost the connection. */
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
    queueMicrotask(() => this.#port.closed()); // a session may be in the middle of an emit
    outlet.end("lagged");
  }

  #relieve(): void {
    this.#relief?.resolve();
    this.#relief = undefined;
  }
}
