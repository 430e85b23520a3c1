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

/** What goes to the server, in order. While the transport is full, frames wait here, where they can still be replaced or taken back. */
export class FrameQueue {
  readonly #outlet: Outlet;
  #waiting: WaitingFrame[] = [];
  #isFull = false;

  constructor(transport: Transport | FrameTransport) {
    this.#outlet = outletOf(transport);
  }

  /** Gives a function that takes the frame back if it has not left. */
  send(frame: Frame, key?: string): () => void {
    this.#look();
    if (!this.#isFull) {
      this.#pass(frame);
      return () => {};
    }
    // As it is now: the host may change its objects while the frame waits. What is no JSON fails here.
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
    const goOn = () => this.#flush();
    isRoom.then(goOn, goOn); // a lost transport says so itself
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
