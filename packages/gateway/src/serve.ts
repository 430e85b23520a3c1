import { hostname } from "node:os";
import type { ServerLimits, ServerState } from "@pintle/wire";
import type { NodeSocket } from "./cluster/node-socket.ts";
import type { StoreFigures } from "./cluster/store-figures.ts";
import { Connections } from "./connections/connections.ts";
import type { Hosts } from "./host.ts";
import { ServeError } from "./serve-error.ts";
import { openLineHost } from "./transports/line-host.ts";
import { openStdio, type StdioStreams } from "./transports/stdio-pipe.ts";
import { serveUnixSocket } from "./transports/unix/unix-server.ts";
import { isEveryAddress, isLoopback, parseListenAddress } from "./transports/web/listen-address.ts";
import type { LivePage } from "./transports/web/live-page.ts";
import { Token } from "./transports/web/token.ts";
import { serveWeb } from "./transports/web/web-server.ts";

/** The gateway, as the server uses it. */
export interface ServedGateway extends Hosts {
  state(): ServerState;
  /** Whether the server accepts sessions now. Never rejects. */
  isReady(): Promise<boolean>;
  /** Resolves with undefined without a database. Never rejects. */
  storeFigures(): Promise<StoreFigures | undefined>;
  /** Resolves with the exported page of a stored session, or undefined if there is none. */
  exportPage(sessionId: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Stops accepting work. Resolves when all runs have ended or were aborted and no worker is left. */
  drain(): Promise<void>;
}

export interface ListenOptions {
  /** `HOST:PORT`. */
  address: string;
  tokenFile?: string | undefined;
  /** The token from the environment variable. */
  token?: string | undefined;
  publicHosts: readonly string[];
  /** Other origins whose pages may connect to the server. */
  allowOrigins?: readonly string[];
  maxAuthFailures: number;
  /** Returns the page at `/`, built on the first request; without it the server only serves hosts. */
  livePage?: (() => Promise<LivePage>) | undefined;
  /** Returns an image of a conversation by the digest of its content. */
  readBlob?: ((digest: string) => Promise<Uint8Array<ArrayBuffer> | undefined>) | undefined;
  /** Accepts hosts that other nodes relay here; undefined if there are no other nodes. */
  nodes?: NodeListen | undefined;
}

export interface NodeListen {
  socket: NodeSocket;
  /** The file with the token that nodes authenticate with; it is the same on all nodes. */
  tokenFile: string;
  /** Where other nodes reach this one, if that differs from the address it listens on. */
  address?: string | undefined;
  /** Publishes the address to the other nodes. */
  announce(address: string): Promise<void>;
}

export interface ServeOptions {
  gateway: ServedGateway;
  limits: ServerLimits;
  stdio?: StdioStreams | undefined;
  /** Path of a unix socket. */
  socket?: string | undefined;
  listen?: ListenOptions | undefined;
  /** Prints a line for the user who started the server. */
  report(text: string): void;
}

export interface RunningServer {
  /**
   * The URL for a browser, with the token if it was generated here; undefined if the server does not listen for
   * browsers.
   */
  readonly address: string | undefined;
  /** Resolves when the parent on stdio has disconnected; without stdio, never. */
  readonly parentGone: Promise<void>;
  /** Drains the gateway, then ends the connections of all hosts. */
  stop(): Promise<void>;
}

/** Opens all requested transports, or none of them. Rejects with ServeError. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { gateway, limits, stdio, socket, listen, report } = options;
  const connections = new Connections({ hosts: gateway, limits, epoch: gateway.state().epoch });
  const listeners: { stop(): void }[] = [];
  let web: ReturnType<typeof startWeb> | undefined;
  try {
    if (listen) {
      web = startWeb(listen, connections, options);
      listeners.push(web);
      await listen.nodes?.announce(listen.nodes.address ?? web.nodeAddress);
    }
    if (socket !== undefined) {
      listeners.push(await serveUnixSocket(socket, connections, limits));
      report(`listening on ${socket}`);
    }
  } catch (error) {
    for (const listener of listeners) listener.stop();
    throw error;
  }
  const parentGone = stdio ? serveStdio(stdio, connections, limits) : new Promise<void>(() => {});
  return {
    address: web?.address,
    parentGone,
    async stop() {
      await gateway.drain();
      for (const listener of listeners) listener.stop();
      await connections.endAll("ending");
    },
  };
}

interface WebListener {
  address: string;
  /** The address for other nodes. */
  nodeAddress: string;
  stop(): void;
}

function startWeb(listen: ListenOptions, connections: Connections, options: ServeOptions): WebListener {
  const { gateway, limits, report } = options;
  const address = parseListenAddress(listen.address);
  const isOpen = !isLoopback(address);
  if (isOpen && listen.tokenFile === undefined)
    throw new ServeError(`listening on ${address.hostname}, which other machines can reach, needs --token-file`);
  const token = Token.from({ file: listen.tokenFile, variable: listen.token });
  const clusterToken = listen.nodes && Token.from({ file: listen.nodes.tokenFile });
  if (clusterToken?.isSameAs(token)) throw new ServeError("hosts and nodes must have different tokens");
  const server = serveWeb({
    address,
    connections,
    token,
    nodes: listen.nodes && clusterToken && { token: clusterToken, socket: listen.nodes.socket },
    publicHosts: listen.publicHosts,
    allowOrigins: listen.allowOrigins,
    maxAuthFailures: listen.maxAuthFailures,
    maxFrameBytes: limits.maxFrameBytes,
    livePage: listen.livePage,
    readBlob: listen.readBlob,
    state: () => gateway.state(),
    isReady: () => gateway.isReady(),
    storeFigures: () => gateway.storeFigures(),
    exportPage: (sessionId) => gateway.exportPage(sessionId),
  });
  const host = address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname;
  // Browsers do not send the fragment of an address to servers, so it appears in no log.
  const opened = `http://${host}:${server.port}/${token.fresh === undefined ? "" : `#token=${token.fresh}`}`;
  report(opened);
  if (isOpen)
    report(
      `warning: ${host} can be reached from other machines, and the connection is not encrypted: put a TLS proxy in front of it`,
    );
  const name = isEveryAddress(address) ? hostname() : host;
  return { stop: () => server.stop(), address: opened, nodeAddress: `${name}:${server.port}` };
}

/** Serves the parent as a host. Resolves when the parent has closed its end and everything that it sent is answered. */
async function serveStdio(
  streams: StdioStreams,
  connections: Connections,
  { maxFrameBytes }: { maxFrameBytes: number },
): Promise<void> {
  const { pipe, chunks } = openStdio(streams);
  const { connection, reader } = openLineHost(connections, { transport: "stdio", pipe, maxFrameBytes });
  for await (const chunk of chunks) reader.push(chunk);
  reader.end();
  await connection.answered();
  connection.end("ending");
}
