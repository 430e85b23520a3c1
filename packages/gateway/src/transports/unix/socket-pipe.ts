import type { LinePipe } from "../line-outlet.ts";

/** The part of a socket that is used for writing. */
interface WritableSocket {
  /** Returns how many bytes the system accepted; negative if the socket is closed. */
  write(data: Uint8Array): number;
  end(): void;
}

/** Writes to a socket that may accept only part of the data. */
export class SocketPipe implements LinePipe {
  readonly #socket: WritableSocket;
  #rest: Uint8Array = new Uint8Array(0);
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(socket: WritableSocket) {
    this.#socket = socket;
  }

  put(lines: string): Promise<void> | undefined {
    this.#rest = Buffer.from(lines);
    this.#pump();
    if (this.#rest.length === 0) return undefined;
    this.#waiting = Promise.withResolvers<void>();
    return this.#waiting.promise;
  }

  /** Called when the system accepts more data. */
  drain(): void {
    this.#pump();
    if (this.#rest.length === 0) this.#waiting?.resolve();
  }

  lost(): void {
    this.#waiting?.reject(new Error("the connection is closed"));
  }

  close(): void {
    this.#socket.end();
  }

  #pump(): void {
    const taken = this.#rest.length > 0 ? this.#socket.write(this.#rest) : 0;
    if (taken > 0) this.#rest = this.#rest.subarray(taken);
  }
}
