import type { EndReason, FrameHead, Outlet } from "../../connections/connection.ts";
import type { OwnerMessage } from "../link-message.ts";

/** The link to the node of the host. */
export interface ChannelWay {
  /** False: the system takes no more for now. */
  send(message: OwnerMessage, payload?: string): boolean;
  /** Nothing is said on the channel any more. */
  ended(ch: number): void;
}

/** The way of frames to a host that is connected to another node. */
export class ChannelOutlet implements Outlet {
  /** What was handed over waits in the link's buffer, which all channels share: it is counted there. */
  readonly unsentBytes = 0;
  readonly #ch: number;
  readonly #way: ChannelWay;
  #isPaused = false;

  constructor(ch: number, way: ChannelWay) {
    this.#ch = ch;
    this.#way = way;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The host does not read. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  write(json: string, { sessionId, seq, merge, merged }: FrameHead = {}): boolean {
    const head = {
      ...(sessionId !== undefined && { sessionId }),
      ...(seq !== undefined && { seq }),
      ...(merge && { merge }),
      ...(merged !== undefined && { merged }),
    };
    return this.#way.send({ type: "frame", ch: this.#ch, ...head }, json) && !this.#isPaused;
  }

  end(_reason: EndReason): void {
    this.#way.send({ type: "ended", ch: this.#ch });
    // The connection is telling its end right now.
    queueMicrotask(() => this.#way.ended(this.#ch));
  }
}
