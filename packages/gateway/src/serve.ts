import { hostname } from "node:os";
import type { ServerLimits, ServerState } from "@pintle/wire";
import { Connections } from "./connections/connections.ts";
import type { Hosts } from "./host.ts";
import { ServeError } from "./serve-error.ts";
import { serveStdio } from "./transports/stdio.ts";
import type { StdioStreams } from "./transports/stdio-pipe.ts";
import { serveUnixSocket } from "./transports/unix/unix-server.ts";
import { isEveryAddress, isLoopback, parseListenAddress } from "./transports/web/listen-address.ts";
import type { LivePage } from "./transports/web/live-page.ts";
import type { StoreFigures } from "./transports/web/metrics.ts";
import { Token } from "./transports/web/token.ts";
import { serveWeb } from "./transports/web/web-server.ts";

/** The sessions, as the server needs them. */
export interface ServedGateway extends Hosts {
  state(): ServerState;
  /** Whether it takes sessions now. Never rejects. */
  isReady(): Promise<boolean>;
  /** Undefined without a store. Never rejects. */
  storeFigures(): Promise<StoreFigures | undefined>;
  /** The page of a stored session; undefined: there is none. */
  exportPage(sessionId: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** From now on nothing new is begun; resolves when the runs are over, or were aborted, and all workers are gone. */
  drain(): Promise<void>;
}

export interface ListenOptions {
  /** `HOST:PORT`. */
  address: string;
  tokenFile?: string | undefined;
  /** Of the environment. */
  token?: string | undefined;
  publicHosts: readonly string[];
  maxAuthFailures: number;
  /** What a browser gets at `/`, made when it is asked for; without it only hosts are served. */
  livePage?: (() => Promise<LivePage>) | undefined;
  /** A picture of a conversation by the digest of its content. */
  readBlob?: ((digest: string) => Promise<Uint8Array<ArrayBuffer> | undefined>) | undefined;
  /** What other nodes show, the same on all of them. */
  clusterTokenFile?: string | undefined;
  /** Other nodes may carry hosts here. */
  nodes?: NodeListen | undefined;
}

export interface NodeListen {
  /** Identifies this start of the node. */
  nodeId: string;
  /** What nodes show each other, the same on all of them. */
  tokenFile: string;
  /** Where they reach this one, where that is not the address it listens on. */
  address?: string | undefined;
  /** Tells them. */
  announce(address: string): Promise<void>;
}

export interface ServeOptions {
  gateway: ServedGateway;
  limits: ServerLimits;
  stdio?: StdioStreams | undefined;
  /** Path of a unix socket. */
  socket?: string | undefined;
  listen?: ListenOptions | undefined;
  /** A line for the person who started the server. */
  report(text: string): void;
}

export interface RunningServer {
  /** What a person opens in a browser, with the token if it was made here; undefined: the server does not listen for them. */
  readonly address: string | undefined;
  /** Resolves when the parent on stdio is gone; without stdio never. */
  readonly parentGone: Promise<void>;
  /** Lets the gateway come to its end, then says goodbye to all hosts. */
  stop(): Promise<void>;
}

/** Opens all the ways to the gateway that were asked for, or none of them. Throws ServeError. */
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
  /** For other nodes. */
  nodeAddress: string;
  stop(): void;
}

function startWeb(listen: ListenOptions, connections: Connections, options: ServeOptions): WebListener {
  const { gateway, limits, report } = options;
  const address = parseListenAddress(listen.address);
  const isOpen = !isLoopback(address);
  if (isOpen && listen.tokenFile === undefined)
    throw new ServeError(`listening on ${address.hostname}, which others can reach, needs --token-file`);
  const token = Token.from({ file: listen.tokenFile, variable: listen.token });
  const clusterToken = listen.nodes && Token.from({ file: listen.nodes.tokenFile });
  if (clusterToken?.isSameAs(token)) throw new ServeError("hosts and nodes must have different tokens");
  const server = serveWeb({
    ...{ address, connections, token, clusterToken, nodeId: listen.nodes?.nodeId },
    publicHosts: listen.publicHosts,
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
  // The fragment of an address is not sent to servers and not in their logs.
  const opened = `http://${host}:${server.port}/${token.fresh === undefined ? "" : `#token=${token.fresh}`}`;
  report(opened);
  if (isOpen)
    report(
      `warning: ${host} can be reached by others, and what is sent is not encrypted: put a proxy with TLS before it`,
    );
  const name = isEveryAddress(address) ? hostname() : host;
  return { stop: () => server.stop(), address: opened, nodeAddress: `${name}:${server.port}` };
}
