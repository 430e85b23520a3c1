import { randomBytes } from "node:crypto";

/** A TCP connection to the server, on which the test controls every byte. */
export class RawSocket {
  readonly closed: Promise<void>;
  readonly #end = Promise.withResolvers<void>();
  #socket: Bun.Socket | undefined;
  #text = "";
  #onData: () => void = () => {};

  private constructor() {
    this.closed = this.#end.promise;
  }

  static async connect(port: number): Promise<RawSocket> {
    const raw = new RawSocket();
    raw.#socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data(_, bytes) {
          raw.#text += bytes.toString("latin1");
          raw.#onData();
        },
        close: () => raw.#end.resolve(),
        error: () => raw.#end.resolve(),
      },
    });
    return raw;
  }

  /** Everything received so far, headers and frames unparsed. */
  text(): string {
    return this.#text;
  }

  write(text: string): void {
    this.#socket?.write(text);
  }

  /** Requests a WebSocket as a host in a terminal would. */
  upgrade(token: string): void {
    this.write(
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
  }

  /** A masked text frame of up to 65,535 bytes. */
  sendText(text: string): void {
    const payload = Buffer.from(text);
    const header =
      payload.length < 126 ? [0x81, 0x80 | payload.length] : [0x81, 0xfe, payload.length >> 8, payload.length & 255];
    this.#socket?.write(Buffer.concat([Buffer.from([...header, 0, 0, 0, 0]), payload])); // a mask of zeros changes nothing
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  async received(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#text)) {
      await new Promise<void>((resolve) => {
        this.#onData = resolve;
      });
    }
  }
}
