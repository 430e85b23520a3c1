import { JsonlReader, type LineListener } from "@pintle/wire";

/**
 * Reads the host's stream from the moment of its creation. Keeps lines until they are read, so that nothing is lost while
 * the session is still being built.
 */
export class LineInput {
  /** Resolves when the host has closed the stream and its last line was delivered or kept. */
  readonly ended: Promise<void>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #early: ((listener: LineListener) => void)[] = [];
  #listener: LineListener | undefined;
  #isStopped = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.ended = this.#read();
  }

  /** Delivers the lines kept so far, then each line as it arrives. */
  deliverTo(listener: LineListener): void {
    this.#listener = listener;
    for (const deliver of this.#early.splice(0)) deliver(listener);
  }

  /** Stops delivering lines and lets the stream end by itself. */
  stop(): void {
    this.#isStopped = true;
    this.#reader.cancel().catch(() => {}); // no longer needed, so it does not matter how it ends
  }

  async #read(): Promise<void> {
    const lines = new JsonlReader({
      onLine: (text, isDamaged) => this.#deliver((listener) => listener.onLine(text, isDamaged)),
      onOverlongLine: () => this.#deliver((listener) => listener.onOverlongLine()),
    });
    for (let chunk = await this.#next(); chunk && !this.#isStopped; chunk = await this.#next()) lines.push(chunk);
    lines.end();
  }

  /** Treats a broken stream like one that ends: the host is gone. */
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
