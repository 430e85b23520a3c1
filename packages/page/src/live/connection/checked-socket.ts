import { type Connect, type GatewayTransport, RpcClosedError, RpcRefusedError, webSocket } from "@pintle/client/core";

/** How long a server may take to say whether the token is right. */
const ASK_MS = 5_000;

/**
 * A connection to the server that can be dropped immediately, and that distinguishes a wrong token from an unavailable
 * server.
 */
export class CheckedSocket {
  readonly #token: string;
  #current: { end(reason: Error): void } | undefined;
  /** When the server last sent something. */
  heardAt = 0;

  constructor(token: string) {
    this.#token = token;
  }

  readonly connect: Connect = async (signal) => {
    try {
      return this.#watched(await webSocket({ url: location.origin, token: this.#token })(signal));
    } catch (error) {
      // A browser does not report why a socket was refused.
      if (!signal.aborted && (await this.#isTokenWrong()))
        throw new RpcRefusedError(401, "The server does not accept this token");
      throw error;
    }
  };

  /** Sends an HTTP request. The token goes in a header, never in the address. */
  request(path: string, options: RequestInit = {}): Promise<Response> {
    return fetch(path, { ...options, headers: { authorization: `Bearer ${this.#token}` } });
  }

  /** Handles a connection that only seems to be open: after a sleep, a browser may take minutes to notice. */
  drop(): void {
    this.#current?.end(new RpcClosedError("The server does not answer"));
  }

  #watched(transport: GatewayTransport): GatewayTransport {
    let onEnd: (reason?: Error) => void = () => {};
    let isOver = false;
    const end = (reason?: Error) => {
      if (isOver) return;
      isOver = true;
      onEnd(reason);
      transport.close();
    };
    this.#current = { end };
    this.heardAt = Date.now();
    transport.onClose(end);
    return {
      write: (text) => transport.write(text),
      close: () => transport.close(),
      onClose: (listener) => {
        onEnd = listener;
      },
      onData: (listener) =>
        transport.onData((data) => {
          this.heardAt = Date.now();
          if (!isOver) listener(data);
        }),
    };
  }

  async #isTokenWrong(): Promise<boolean> {
    try {
      const { status } = await this.request("/metrics", { method: "HEAD", signal: AbortSignal.timeout(ASK_MS) });
      return status === 401;
    } catch {
      return false; // the server is unavailable
    }
  }
}
