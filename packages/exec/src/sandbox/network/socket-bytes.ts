import type { Socket } from "node:net";

/** A client broke the protocol or a limit. The message is for the client. */
export class BadRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Reads what a client sends piece by piece, before the rest of the connection becomes a tunnel. */
export class SocketBytes {
  readonly #socket: Socket;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Returns the next byte without consuming it. */
  async peek(): Promise<number> {
    if (this.#buffer.length === 0) await this.#more();
    return this.#buffer[0] ?? 0;
  }

  /** Returns exactly this many bytes. Throws BadRequest if the client ends before. */
  async take(count: number): Promise<Buffer> {
    while (this.#buffer.length < count) await this.#more();
    return this.#cut(count);
  }

  /** Returns at least one byte and at most this many. */
  async takeUpTo(count: number): Promise<Buffer> {
    if (this.#buffer.length === 0) await this.#more();
    return this.#cut(Math.min(count, this.#buffer.length));
  }

  /** Returns everything up to the mark and the mark itself. Throws BadRequest if that is longer than the limit. */
  async takeThrough(mark: string, limit: number, tooLong: BadRequest): Promise<Buffer> {
    for (let from = 0; ; ) {
      const at = this.#buffer.indexOf(mark, from);
      if (at >= 0 && at + mark.length <= limit) return this.#cut(at + mark.length);
      if (at >= 0 || this.#buffer.length >= limit) throw tooLong;
      from = Math.max(0, this.#buffer.length - mark.length + 1);
      await this.#more();
    }
  }

  /** Returns unconsumed bytes to the socket, which then continues as a stream. */
  release(): void {
    if (this.#buffer.length > 0) this.#socket.unshift(this.#buffer);
    this.#buffer = Buffer.alloc(0);
  }

  #cut(count: number): Buffer {
    const taken = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return taken;
  }

  async #more(): Promise<void> {
    for (;;) {
      const chunk: Buffer | null = this.#socket.read();
      if (chunk !== null) {
        this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
        return;
      }
      if (this.#socket.readableEnded || this.#socket.destroyed)
        throw new BadRequest(400, "the request is not complete");
      await nextEvent(this.#socket);
    }
  }
}

const ARRIVALS = ["readable", "end", "close", "error"] as const;

function nextEvent(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const name of ARRIVALS) socket.off(name, done);
      resolve();
    };
    for (const name of ARRIVALS) socket.on(name, done);
  });
}
