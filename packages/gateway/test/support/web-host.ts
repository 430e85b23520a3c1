/** A host on a WebSocket, which records what it receives and can wait for frames. */
export class WebHost {
  readonly frames: Record<string, unknown>[] = [];
  readonly opened: Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  #asked = 0;
  #onFrame: () => void = () => {};

  constructor(url: string, options: { headers?: Record<string, string>; protocols?: string[] } = {}) {
    // Bun's WebSocket accepts headers, which the browser type does not declare.
    this.#socket = new WebSocket(url, options as unknown as string[]);
    this.opened = new Promise((resolve, reject) => {
      this.#socket.onopen = () => resolve();
      this.#socket.onerror = () => reject(new Error("the connection was refused"));
    });
    this.opened.catch(() => {}); // a test that expects it waits for `closed`
    this.closed = new Promise((resolve) => {
      this.#socket.onclose = ({ code, reason }) => resolve({ code, reason });
    });
    this.#socket.onmessage = ({ data }) => {
      this.frames.push(JSON.parse(data as string) as Record<string, unknown>);
      this.#onFrame();
    };
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(data);
  }

  close(): void {
    this.#socket.close();
  }

  /** Sends a command and waits for its response. */
  ask(command: Record<string, unknown>): Promise<Record<string, unknown>> {
    this.#asked += 1;
    const id = `a${this.#asked}`;
    this.send(JSON.stringify({ id, ...command }));
    return this.next((frame) => frame.type === "response" && frame.id === id);
  }

  /** Resolves with the first matching frame, now or later. */
  async next(fits: (frame: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    for (;;) {
      const found = this.frames.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => {
        this.#onFrame = resolve;
      });
    }
  }
}
