import { createServer, type Server, type Socket } from "node:net";
import { type DestinationParts, Destinations, NotAllowed, NotReachable } from "./destination.ts";
import { forwardBody } from "./request-body.ts";
import { forwardedHead, type RequestHead, readRequestHead } from "./request-head.ts";
import { BadRequest, SocketBytes } from "./socket-bytes.ts";
import { readSocksRequest, SOCKS_REPLY, SOCKS_VERSION, SocksError, socksReply } from "./socks.ts";

export interface ProxyLimits {
  headBytes: number;
  /** Time limit for everything that a client sends before its connection is made. */
  headMs: number;
  connectMs: number;
  /** Time limit without a byte in either direction. */
  idleMs: number;
  /** The maximum number of simultaneous connections. */
  connections: number;
}

export const PROXY_LIMITS: ProxyLimits = {
  headBytes: 16 * 1024,
  headMs: 10_000,
  connectMs: 15_000,
  idleMs: 600_000,
  connections: 128,
};

/** No HTTP request begins with a lower byte, so other protocols are refused without waiting for a timeout. */
const FIRST_OF_HTTP = 0x21;
/** The maximum number of refusals to keep: a command that tries every host needs no complete list. */
const MAX_REFUSALS = 10;

export interface NetworkProxyParts extends Pick<DestinationParts, "allowed" | "resolve"> {
  limits?: Partial<ProxyLimits>;
}

/**
 * A command's only connection to the network: an HTTP and SOCKS5 proxy on one listener, which connects to hosts of the list and
 * refuses all others. It serves one command.
 */
export class NetworkProxy {
  readonly #limits: ProxyLimits;
  readonly #destinations: Destinations;
  readonly #sockets = new Set<Socket>();
  readonly #refusals = new Set<string>();
  #clients = 0;
  #server: Server | undefined;
  #isClosed = false;

  constructor({ limits, allowed, resolve }: NetworkProxyParts) {
    this.#limits = { ...PROXY_LIMITS, ...limits };
    this.#destinations = new Destinations({ allowed, resolve, connectMs: this.#limits.connectMs });
  }

  /** The refused connections, one sentence each. */
  get refusals(): string[] {
    return [...this.#refusals];
  }

  /** Takes ownership of a listening socket and accepts its connections. Resolves when it is ready. */
  listen(descriptor: number): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (client) => {
      void this.#serve(client); // catches everything
    });
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ fd: descriptor }, () => {
        if (this.#isClosed) server.close();
        resolve();
      });
    });
  }

  /** Ends every connection. */
  close(): void {
    this.#isClosed = true;
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(client: Socket): Promise<void> {
    this.#keep(client);
    if (this.#isClosed || this.#clients >= this.#limits.connections) {
      client.destroy();
      return;
    }
    this.#clients += 1;
    client.once("close", () => {
      this.#clients -= 1;
    });
    const slow = setTimeout(() => client.destroy(), this.#limits.headMs);
    const settle = () => clearTimeout(slow);
    const bytes = new SocketBytes(client);
    try {
      const first = await bytes.peek();
      if (first === SOCKS_VERSION) await this.#serveSocks(client, bytes, settle);
      else if (first < FIRST_OF_HTTP) client.destroy();
      else await this.#serveHttp(client, bytes, settle);
    } catch {
      client.destroy(); // the client has gone or does not speak the protocol, so it cannot read a response
    } finally {
      settle();
    }
  }

  async #serveSocks(client: Socket, bytes: SocketBytes, settle: () => void): Promise<void> {
    try {
      const { host, port } = await readSocksRequest(bytes, (reply) => client.write(reply));
      settle();
      const server = await this.#connect(host, port);
      client.write(socksReply(SOCKS_REPLY.done));
      this.#tunnel(client, bytes, server);
    } catch (error) {
      const reply = socksReplyOf(error);
      if (reply === undefined) client.destroy();
      else client.end(socksReply(reply));
    }
  }

  async #serveHttp(client: Socket, bytes: SocketBytes, settle: () => void): Promise<void> {
    try {
      const { headBytes } = this.#limits;
      const tooLong = new BadRequest(431, `the head of the request is longer than ${headBytes} bytes`);
      const head = readRequestHead(await bytes.takeThrough("\r\n\r\n", headBytes, tooLong));
      settle();
      const server = await this.#connect(head.host, head.port);
      if (head.method === "CONNECT") {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        this.#tunnel(client, bytes, server);
      } else {
        await this.#exchange(client, bytes, server, head);
      }
    } catch (error) {
      const { status, text } = httpAnswerOf(error);
      client.end(
        `HTTP/1.1 ${status} ${STATUS_TEXTS[status] ?? "Error"}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text) + 1}\r\nConnection: close\r\n\r\n${text}\n`,
      );
      client.resume(); // drops further input so that the client reads the response
    }
  }

  /** Forwards one request and its response; the connection closes with the response. */
  async #exchange(client: Socket, bytes: SocketBytes, server: Socket, head: RequestHead): Promise<void> {
    this.#endTogether(client, server);
    server.pipe(client);
    try {
      server.write(forwardedHead(head));
      await forwardBody(head.framing, bytes, server);
      client.resume(); // anything after the request is dropped
    } catch {
      // The server has received part of a request and must not mistake it for all of it.
      server.destroy();
      client.destroy();
    }
  }

  #tunnel(client: Socket, bytes: SocketBytes, server: Socket): void {
    this.#endTogether(client, server);
    bytes.release();
    client.pipe(server);
    server.pipe(client);
  }

  /** Either side may finish sending first. An error on one side ends both, and so does a timeout. */
  #endTogether(client: Socket, server: Socket): void {
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const [side, other] of [
      [client, server],
      [server, client],
    ] as const) {
      side.setTimeout(this.#limits.idleMs, end);
      side.on("error", end);
      side.on("close", () => (side.readableEnded ? flushAndDestroy(other) : end()));
    }
  }

  async #connect(host: string, port: number): Promise<Socket> {
    try {
      const server = await this.#destinations.connect(host, port);
      this.#keep(server);
      return server;
    } catch (error) {
      if (error instanceof NotAllowed && this.#refusals.size < MAX_REFUSALS) this.#refusals.add(error.message);
      throw error;
    }
  }

  #keep(socket: Socket): void {
    socket.on("error", () => {}); // an error is always followed by the end
    if (this.#isClosed) socket.destroy();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

function flushAndDestroy(socket: Socket): void {
  socket.once("finish", () => socket.destroy());
  if (socket.writableFinished) socket.destroy();
  else socket.end();
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  403: "Forbidden",
  431: "Request Header Fields Too Large",
  501: "Not Implemented",
  502: "Bad Gateway",
};

function httpAnswerOf(error: unknown): { status: number; text: string } {
  if (error instanceof BadRequest) return { status: error.status, text: error.message };
  if (error instanceof NotAllowed) return { status: 403, text: error.message };
  if (error instanceof NotReachable) return { status: 502, text: error.message };
  throw error;
}

function socksReplyOf(error: unknown): number | undefined {
  if (error instanceof SocksError) return error.reply;
  if (error instanceof NotAllowed) return SOCKS_REPLY.notAllowed;
  if (error instanceof NotReachable) return SOCKS_REPLY.notReachable;
  if (error instanceof BadRequest) return undefined;
  throw error;
}
