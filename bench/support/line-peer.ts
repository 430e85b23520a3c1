import { JsonlReader } from "../../packages/wire/src/frames/jsonl-reader.ts";

export type Frame = Record<string, unknown> & { type: string };

/** The other end of a connection over any transport: commands out, frames in. */
export class LinePeer {
  /** Called with every frame. */
  onFrame: (frame: Frame) => void = () => {};
  readonly #write: (line: string) => void;
  readonly #close: () => void;
  readonly #answers = new Map<string, (frame: Frame) => void>();
  #waiting: { fits(frame: Frame): boolean; resolve(frame: Frame): void }[] = [];
  #count = 0;

  private constructor(write: (line: string) => void, close: () => void) {
    this.#write = write;
    this.#close = close;
  }

  static async ofChild(child: Bun.Subprocess<"pipe", "pipe", "ignore">): Promise<LinePeer> {
    const write = (line: string) => {
      child.stdin.write(`${line}\n`);
      child.stdin.flush();
    };
    const peer = new LinePeer(write, () => void child.stdin.end());
    const reader = peer.#reader();
    const ready = peer.until(({ type }) => type === "ready" || type === "server_ready");
    void (async () => {
      for await (const chunk of child.stdout) reader.push(chunk);
    })();
    await ready;
    return peer;
  }

  static async ofSocket(path: string): Promise<LinePeer> {
    let reader: JsonlReader | undefined;
    const early: Uint8Array[] = [];
    const socket = await Bun.connect({
      unix: path,
      socket: { data: (_, bytes) => (reader ? reader.push(bytes) : void early.push(Uint8Array.from(bytes))) },
    });
    const peer = new LinePeer(
      (line) => void socket.write(`${line}\n`),
      () => socket.end(),
    );
    const ready = peer.until(({ type }) => type === "server_ready");
    reader = peer.#reader();
    for (const bytes of early) reader.push(bytes);
    await ready;
    return peer;
  }

  static async ofWebSocket(url: string, token: string): Promise<LinePeer> {
    const socket = new WebSocket(`${url}/ws`, ["pintle", `pintle.token.${token}`]);
    const peer = new LinePeer(
      (line) => socket.send(line),
      () => socket.close(),
    );
    const ready = peer.until(({ type }) => type === "server_ready");
    socket.onmessage = ({ data }) => peer.#take(JSON.parse(data as string) as Frame);
    await ready;
    return peer;
  }

  send(frame: object): void {
    this.#write(JSON.stringify(frame));
  }

  async ask<T = Record<string, unknown>>(command: object): Promise<T> {
    this.#count += 1;
    const id = `b${this.#count}`;
    const { promise, resolve } = Promise.withResolvers<Frame>();
    this.#answers.set(id, resolve);
    this.send({ id, ...command });
    const frame = await promise;
    if (frame.success !== true) throw new Error(`${JSON.stringify(command).slice(0, 200)}: ${String(frame.error)}`);
    return frame.data as T;
  }

  /** Returns the next matching frame. */
  until(fits: (frame: Frame) => boolean): Promise<Frame> {
    return new Promise((resolve) => this.#waiting.push({ fits, resolve }));
  }

  close(): void {
    this.#close();
  }

  #reader(): JsonlReader {
    return new JsonlReader({
      onLine: (line) => this.#take(JSON.parse(line) as Frame),
      onOverlongLine: () => {
        throw new Error("a frame is too long");
      },
    });
  }

  #take(frame: Frame): void {
    this.onFrame(frame);
    if (frame.type === "response" && typeof frame.id === "string") {
      this.#answers.get(frame.id)?.(frame);
      this.#answers.delete(frame.id);
    }
    const met = this.#waiting.filter(({ fits }) => fits(frame));
    if (met.length === 0) return;
    this.#waiting = this.#waiting.filter((one) => !met.includes(one));
    for (const { resolve } of met) resolve(frame);
  }
}
