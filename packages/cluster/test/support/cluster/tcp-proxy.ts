import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Both ends of a connection that goes through a proxy. */
interface Pair {
  near: Socket;
  far: Socket;
}

/**
 * Stands between two programs and does to their connections what networks do: cuts them, keeps them open in silence, closes one
 * direction, lets everything come late, refuses new ones.
 */
export class TcpProxy {
  readonly port: number;
  /** Connections that were taken so far. */
  accepted = 0;
  /** How late each piece arrives; counts for pieces from then on. */
  delayMs = 0;
  readonly #server: Server;
  /** Where connections go from now on. */
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

  /** To a port of this machine. */
  static async start(target: number): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TcpProxy(server, target);
  }

  /** Connections that are open now. */
  get size(): number {
    return this.#pairs.size;
  }

  /** Ends all connections without a word, as a cable that is pulled and a peer that has forgotten. */
  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
    this.#pairs.clear();
  }

  /** Ends all connections and lets none through until `allow`. */
  refuse(): void {
    this.#isRefusing = true;
    this.cut();
  }

  allow(): void {
    this.#isRefusing = false;
  }

  /** Connections stay, nothing moves; new ones are taken and hear nothing either. */
  freeze(): void {
    this.#isFrozen = true;
    for (const { near, far } of this.#pairs) {
      near.pause();
      far.pause();
    }
  }

  /** All that was held moves on. */
  thaw(): void {
    this.#isFrozen = false;
    for (const { near, far } of this.#pairs) {
      near.resume();
      far.resume();
    }
  }

  /** The target says no more, as if it had closed its side; what is sent to it still arrives. */
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
    // Pieces may come late, but never in another order.
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
    from.on("error", () => {}); // the close that follows is what counts
    from.on("close", () => {
      if (!this.#pairs.delete(pair)) return; // the other end was first
      behind(() => void to.destroySoon());
    });
  }
}
