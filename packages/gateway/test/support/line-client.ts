import { JsonlReader } from "@pintle/wire";

/** A host on a Unix socket that exchanges lines. */
export class LineClient {
  readonly frames: Record<string, unknown>[] = [];
  readonly closed: Promise<void>;
  #socket: Bun.Socket | undefined;
  #onFrame: () => void = () => {};
  readonly #end = Promise.withResolvers<void>();

  private constructor() {
    this.closed = this.#end.promise;
  }

  static async connect(path: string, { isPaused = false } = {}): Promise<LineClient> {
    const client = new LineClient();
    const reader = new JsonlReader({
      onLine: (line) => {
        client.frames.push(JSON.parse(line) as Record<string, unknown>);
        client.#onFrame();
      },
      onOverlongLine: () => {},
    });
    client.#socket = await Bun.connect({
      unix: path,
      socket: {
        open: (socket) => {
          if (isPaused) socket.pause();
        },
        data: (_, bytes) => reader.push(bytes),
        close: () => client.#end.resolve(),
      },
    });
    return client;
  }

  send(line: string | Uint8Array): void {
    this.#socket?.write(typeof line === "string" ? `${line}\n` : Buffer.concat([line, Buffer.from("\n")]));
  }

  resume(): void {
    this.#socket?.resume();
  }

  close(): void {
    this.#socket?.end();
  }

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
