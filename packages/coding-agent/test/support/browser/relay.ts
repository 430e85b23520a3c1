import { connect, createServer, type Server, type Socket } from "node:net";

/** Provides one address for a server that stops and restarts; connections through it can be cut. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isFrozen = false;
  /** The server behind the relay; undefined if none is running. */
  target: number | undefined;

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (near) => this.#carry(near));
  }

  static async start(): Promise<Relay> {
    const server = createServer();
    const relay = new Relay(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Cuts all connections at once, as a network failure does. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Keeps connections open but transmits nothing; new ones get no answer. */
  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** Old connections stay as they are. */
  thaw(): void {
    this.#isFrozen = false;
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }

  #carry(near: Socket): void {
    near.on("error", () => {});
    if (this.target === undefined || this.#isFrozen) {
      near.destroy();
      return;
    }
    const far = connect(this.target, "127.0.0.1");
    far.on("error", () => near.destroy());
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
    this.#sockets.add(near).add(far);
    near.pipe(far).pipe(near);
  }
}
