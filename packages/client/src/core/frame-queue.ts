import type { Frame, FrameTransport, Transport } from "./transport.ts";

type Outlet = Pick<FrameTransport, "blocked" | "send">;

function outletOf(transport: Transport | FrameTransport): Outlet {
  if ("send" in transport) return transport;
  return { blocked: () => undefined, send: (frame) => transport.write(`${JSON.stringify(frame)}\n`) };
}

interface WaitingFrame {
  frame: Frame;
  /** A later frame with the same key replaces this one. */
  key: string | undefined;
}

/** Sends frames to the server in order. While the transport is full, frames wait here and can still be replaced or withdrawn. */
export class FrameQueue {
  readonly #outlet: Outlet;
  #waiting: WaitingFrame[] = [];
  #isFull = false;

  constructor(transport: Transport | FrameTransport) {
    this.#outlet = outletOf(transport);
  }

  /** Queues a frame. Returns a function that withdraws it unless it has been sent. */
  send(frame: Frame, key?: string): () => void {
    this.#look();
    if (!this.#isFull) {
      this.#pass(frame);
      return () => {};
    }
    // Copy the frame now: the host may mutate its objects while it waits. Values that JSON cannot represent fail here.
    const entry: WaitingFrame = { frame: JSON.parse(JSON.stringify(frame)), key };
    if (key !== undefined) this.#waiting = this.#waiting.filter((other) => other.key !== key);
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  #look(): void {
    if (!this.#isFull) this.#waitFor(this.#outlet.blocked());
  }

  #pass(frame: Frame): void {
    this.#waitFor(this.#outlet.send(frame));
  }

  #waitFor(isRoom: void | Promise<void>): void {
    if (!isRoom) return;
    this.#isFull = true;
    const flush = () => this.#flush();
    isRoom.then(flush, flush); // the transport reports its own loss
  }

  #flush(): void {
    this.#isFull = false;
    this.#look();
    while (!this.#isFull) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#pass(next.frame);
    }
  }
}
