import type { EndReason, FrameHead, Outlet } from "@pintle/gateway/cluster";
import type { OwnerMessage } from "../link-message.ts";

/** The link to the node of the host. */
export interface ChannelOutput {
  /** Returns false if the system accepts no more for now. */
  send(message: OwnerMessage, payload?: string): boolean;
  /** Called when nothing more is sent on the channel. */
  ended(ch: number): void;
}

/** The frame output of a host that is connected to another node. */
export class ChannelOutlet implements Outlet {
  /** Always 0: what was passed on waits in the link's buffer, which all channels share and which counts it. */
  readonly unsentBytes = 0;
  readonly #ch: number;
  readonly #output: ChannelOutput;
  #isPaused = false;

  constructor(ch: number, output: ChannelOutput) {
    this.#ch = ch;
    this.#output = output;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Called when the host stops or resumes reading. */
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
    return this.#output.send({ type: "frame", ch: this.#ch, ...head }, json) && !this.#isPaused;
  }

  end(_reason: EndReason): void {
    this.#output.send({ type: "ended", ch: this.#ch });
    // The connection is reporting its end at this moment.
    queueMicrotask(() => this.#output.ended(this.#ch));
  }
}
