import type { FrameSink } from "../../../../src/modes/frames/output-queue.ts";

/** Replaces the pipe: accepts everything at once, or nothing until `unblock`. */
export class FakeSink implements FrameSink {
  #bytes: Buffer[] = [];
  #blocked: PromiseWithResolvers<void> | undefined;
  #error: Error | undefined;
  #isFull = false;
  writes = 0;

  write(data: string | Uint8Array): number {
    if (this.#blocked) throw new Error("written to while the last write was pending");
    if (this.#error && !this.#isFull) throw this.#error;
    this.writes += 1;
    this.#bytes.push(Buffer.from(data as string));
    return data.length;
  }

  flush(): number | Promise<void> {
    if (!this.#isFull) return 0;
    this.#blocked = Promise.withResolvers();
    return this.#blocked.promise;
  }

  /** From the next write on, the reader accepts nothing. */
  block(): void {
    this.#isFull = true;
  }

  /** The reader accepts the pending write and everything that follows. */
  unblock(): void {
    this.#isFull = false;
    this.takeOne();
  }

  /** The reader accepts the pending write, but the next one will wait again. */
  takeOne(): void {
    this.#blocked?.resolve();
    this.#blocked = undefined;
  }

  /** The reader is gone: a pending write fails, and so does every later one. */
  lose(): void {
    this.#error = Object.assign(new Error("broken pipe"), { code: "EPIPE" });
    this.#isFull = false;
    this.#blocked?.reject(this.#error);
    this.#blocked = undefined;
  }

  get text(): string {
    return Buffer.concat(this.#bytes).toString();
  }

  /** All frames written so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every kind
  get frames(): any[] {
    return this.text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** Frames written since the last call. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every kind
  takeFrames(): any[] {
    const { frames } = this;
    this.#bytes = [];
    return frames;
  }
}
