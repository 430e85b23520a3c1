import { JsonlReader, type LineListener } from "@pintle/wire";

/**
 * Reads the host's stream from the moment it is made. Lines are kept until they are taken, so nothing is lost while
 * the session is still being built.
 */
export class LineInput {
  /** The host has closed the stream and its last line was delivered or kept. */
  readonly ended: Promise<void>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #early: ((listener: LineListener) => void)[] = [];
  #listener: LineListener | undefined;
  #isStopped = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.ended = this.#read();
  }

  /** Hands over the lines kept so far, then each one as it comes. */
  deliverTo(listener: LineListener): void {
    this.#listener = listener;
    for (const deliver of this.#early.splice(0)) deliver(listener);
  }

  /** Nothing is delivered any more, and the stream is left to end by itself. */
  stop(): void {
    this.#isStopped = true;
    this.#reader.cancel().catch(() => {}); // it is not needed any more, so how it ends does not matter
  }

  async #read(): Promise<void> {
    const lines = new JsonlReader({
      onLine: (text, isDamaged) => this.#deliver((listener) => listener.onLine(text, isDamaged)),
      onOverlongLine: () => this.#deliver((listener) => listener.onOverlongLine()),
    });
    for (let chunk = await this.#next(); chunk && !this.#isStopped; chunk = await this.#next()) lines.push(chunk);
    lines.end();
  }

  /** A stream that breaks is a host that is gone, the same as one that ends. */
  async #next(): Promise<Uint8Array | undefined> {
    try {
      return (await this.#reader.read()).value;
    } catch {
      return undefined;
    }
  }

  #deliver(deliver: (listener: LineListener) => void): void {
    if (this.#isStopped) return;
    if (this.#listener) deliver(this.#listener);
    else this.#early.push(deliver);
  }
}
