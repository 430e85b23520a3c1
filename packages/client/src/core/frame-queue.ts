import type { Transport } from "./transport.ts";

interface WaitingFrame {
  text: string;
  /** A later frame with the same key replaces this one. */
  key: string | undefined;
}

/** What goes to the server, in order. While the transport is full, frames wait here, where they can still be replaced or taken back. */
export class FrameQueue {
  readonly #transport: Transport;
  #waiting: WaitingFrame[] = [];
  #isFull = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Gives a function that takes the frame back if it has not left. */
  send(frame: object, key?: string): () => void {
    const entry = { text: `${JSON.stringify(frame)}\n`, key };
    if (!this.#isFull) {
      this.#write(entry.text);
      return () => {};
    }
    if (key !== undefined) this.#waiting = this.#waiting.filter((other) => other.key !== key);
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  #write(text: string): void {
    const isRoom = this.#transport.write(text);
    if (!isRoom) return;
    this.#isFull = true;
    const goOn = () => this.#flush();
    isRoom.then(goOn, goOn); // a lost transport says so itself
  }

  #flush(): void {
    this.#isFull = false;
    const frames = this.#waiting;
    this.#waiting = [];
    for (const [index, { text }] of frames.entries()) {
      this.#write(text);
      if (!this.#isFull) continue;
      this.#waiting = frames.slice(index + 1);
      return;
    }
  }
}
