import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Both ends of a connection that goes through a proxy. */
interface Pair {
  near: Socket;
  far: Socket;
}

/**
 * Sits between two programs and disturbs their connections as networks do: cuts them, leaves them open but silent, closes one
 * direction, delays data, refuses new connections.
 */
export class TcpProxy {
  readonly port: number;
  /** Number of connections accepted so far. */
  accepted = 0;
  /** Delay of each piece; applies to pieces from then on. */
  delayMs = 0;
  readonly #server: Server;
  /** The target of new connections. */
  target: number;
  readonly #pairs = new Set<Pair>();
  #isFrozen = false;
  #isRefusing = false;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.target = target;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (near) => this.#join(near));
  }

  /** Forwards to a port of this machine. */
  static async start(target: number): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TcpProxy(server, target);
  }

  /** Number of open connections. */
  get size(): number {
    return this.#pairs.size;
  }

  /** Ends all connections without a close, like a pulled cable or a peer that has lost its state. */
  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
    this.#pairs.clear();
  }

  /** Ends all connections and refuses new ones until `allow`. */
  refuse(): void {
    this.#isRefusing = true;
    this.cut();
  }

  allow(): void {
    this.#isRefusing = false;
  }

  /** Connections stay open, but nothing moves; new ones are accepted and receive nothing either. */
  freeze(): void {
    this.#isFrozen = true;
    for (const { near, far } of this.#pairs) {
      near.pause();
      far.pause();
    }
  }

  /** Forwards everything that was held. */
  thaw(): void {
    this.#isFrozen = false;
    for (const { near, far } of this.#pairs) {
      near.resume();
      far.resume();
    }
  }

  /** The target sends nothing more, as if it had closed its side; what is sent to it still arrives. */
  halfClose(): void {
    for (const { near, far } of this.#pairs) {
      far.removeAllListeners("data").resume();
      near.end();
    }
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(near: Socket): void {
    if (this.#isRefusing) return void near.resetAndDestroy();
    this.accepted += 1;
    const far = connect({ port: this.target, host: "127.0.0.1", allowHalfOpen: true });
    const pair = { near, far };
    this.#pairs.add(pair);
    this.#carry(pair, near, far);
    this.#carry(pair, far, near);
    if (this.#isFrozen) far.pause();
    else near.resume();
  }

  #carry(pair: Pair, from: Socket, to: Socket): void {
    // Pieces may be late, but never out of order.
    let last = Promise.resolve();
    const behind = (action: () => void) => {
      const ms = this.delayMs;
      last = last.then(async () => {
        if (ms > 0) await Bun.sleep(ms);
        action();
      });
    };
    from.on("data", (bytes) => behind(() => void (to.destroyed || to.write(bytes))));
    from.on("end", () => behind(() => void to.end()));
    from.on("error", () => {}); // the close that follows decides
    from.on("close", () => {
      if (!this.#pairs.delete(pair)) return; // the other end was faster
      behind(() => void to.destroySoon());
    });
  }
}
