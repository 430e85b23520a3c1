import { delay } from "@pintle/ai";
import type { EndReason, Outlet } from "../connections/connection.ts";

/** Lines of one turn of the event loop are collected up to this size, then written before the turn ends. */
const BATCH_CHARS = 64 * 1024;
/** How long a host has to read what was written before its connection is closed. */
const LINGER_MS = 2_000;

/** Writes lines. */
export interface LinePipe {
  /** Returns a promise while the other end does not read. Rejects if it has disconnected. */
  put(lines: string): Promise<void> | undefined;
  close(): void;
}

export interface OutletListener {
  drained(): void;
  closed(): void;
}

/**
 * Sends frames as lines. The first line of a turn of the event loop is written immediately, the others together at its end: a
 * single response is not delayed, and a burst is one system call.
 */
export class LineOutlet implements Outlet {
  /** Set after the connection is created; its first frame is written before that. */
  listener: OutletListener = { drained: () => {}, closed: () => {} };
  readonly #pipe: LinePipe;
  #lines = "";
  #isBlocked = false;
  #blockedChars = 0;
  #isCollecting = false;
  #isOver = false;
  readonly #written = { settle: () => {} };

  constructor(pipe: LinePipe) {
    this.#pipe = pipe;
  }

  get unsentBytes(): number {
    return this.#blockedChars + this.#lines.length;
  }

  write(json: string): boolean {
    if (this.#isOver) return true;
    this.#lines += `${json}\n`;
    if (!this.#isCollecting || this.#lines.length > BATCH_CHARS) this.#flush();
    if (!this.#isCollecting) this.#collect();
    return !this.#isBlocked;
  }

  /** Closes without a reason: the previous frame has already reported one, if there is any. */
  end(_reason: EndReason): void {
    void this.#finish(); // does not reject
  }

  async #finish(): Promise<void> {
    this.#flush();
    const gone = new AbortController();
    const written = new Promise<void>((resolve) => {
      this.#written.settle = resolve;
      if (!this.#isBlocked) resolve();
    });
    await Promise.race([written, delay(LINGER_MS, gone.signal)]);
    gone.abort();
    this.#isOver = true;
    this.#pipe.close();
    this.listener.closed();
  }

  #collect(): void {
    this.#isCollecting = true;
    setImmediate(() => {
      this.#isCollecting = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#isBlocked || this.#isOver || this.#lines === "") return;
    const lines = this.#lines;
    this.#lines = "";
    const taken = this.#pipe.put(lines);
    if (!taken) return;
    this.#isBlocked = true;
    this.#blockedChars = lines.length;
    taken.then(
      () => this.#unblock(),
      () => this.#lose(),
    );
  }

  #unblock(): void {
    this.#isBlocked = false;
    this.#blockedChars = 0;
    this.#flush();
    if (this.#isBlocked) return;
    this.#written.settle();
    this.listener.drained();
  }

  #lose(): void {
    this.#isOver = true;
    this.#lines = "";
    this.#blockedChars = 0;
    this.#written.settle();
    this.listener.closed();
  }
}
