import { errorText } from "@pintle/ai";
import type { ServerState } from "@pintle/wire";
import type { Server, ServerWebSocket } from "bun";
import type { Connections } from "../../connections/connections.ts";
import { HEAD_BYTES, NODE_PATH } from "../../nodes/link-message.ts";
import { CarriedHosts } from "../../nodes/owner/carried-hosts.ts";
import { ServeError } from "../../serve-error.ts";
import { answer, Door, type DoorOptions } from "./door.ts";
import type { ListenAddress } from "./listen-address.ts";
import { type LivePage, pageAnswer } from "./live-page.ts";
import { METRICS_TYPE, metricsText, type StoreFigures } from "./metrics.ts";
import { NodeDoor } from "./node-door.ts";
import { readOffer } from "./offered-token.ts";
import type { Token } from "./token.ts";
import { WebSocketOutlet } from "./web-socket-outlet.ts";

/** A peer that answers no ping for so long is gone. */
const SILENT_SECONDS = 60;
/** A request that is not complete by then is given up: one that comes byte by byte holds nothing for long. */
const REQUEST_SECONDS = 10;
/** As far as Bun counts. */
const NO_LIMIT = 0x7fff_ffff;
/** Requests have no body. */
const MAX_BODY_BYTES = 1024;

export interface WebOptions extends DoorOptions {
  address: ListenAddress;
  connections: Connections;
  /** What other nodes show; undefined: there are none. */
  clusterToken?: Token | undefined;
  /** Identifies this node on links; undefined if there are no other nodes. */
  nodeId?: string | undefined;
  maxFrameBytes: number;
  state(): ServerState;
  /** Whether it takes sessions now. Never rejects. */
  isReady(): Promise<boolean>;
  /** Undefined without a store. Never rejects. */
  storeFigures(): Promise<StoreFigures | undefined>;
  exportPage(sessionId: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** What a browser gets at `/`; without it only hosts are served. */
  livePage?: (() => Promise<LivePage>) | undefined;
  /** A picture of a conversation by the digest of its content; undefined: there is none. */
  readBlob?: ((digest: string) => Promise<Uint8Array<ArrayBuffer> | undefined>) | undefined;
}

/** What a model wrote is in the page: opened in a browser it must not act as this server. */
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "sandbox allow-scripts",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

const DIGEST = /^[0-9a-f]{64}$/;
/** For the page's script, which knows what it is; on its own a browser does nothing with it. */
const BLOB_HEADERS = {
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "private, max-age=31536000, immutable",
  "x-content-type-options": "nosniff",
};

const NO_PAGE = "pintle serve: hosts connect to /ws; with --web there is a page here";
/** What is behind a socket: a host, or a node with the hosts that it carries. */
interface Peer {
  receive(text: string): void;
  refuse(error: string): void;
  goOn(): void;
  closed(): void;
}

interface SocketData {
  open(socket: ServerWebSocket<SocketData>): Peer;
  peer: Peer | undefined;
}

type WebServer = Server<SocketData>;
type Route = (request: Request, server: WebServer, path: string) => Response | undefined | Promise<Response>;

/** HTTP and WebSocket on one port. */
export function serveWeb(options: WebOptions): { port: number; stop(): void } {
  const { address, connections, maxFrameBytes, state, exportPage, livePage, readBlob } = options;
  const door = new Door(options);
  const { clusterToken, nodeId, maxAuthFailures } = options;
  const nodeDoor = clusterToken && new NodeDoor({ token: clusterToken, maxAuthFailures });

  const upgrade: Route = (request, server) => {
    const { subprotocol, isUnspoken } = readOffer(request.headers);
    if (isUnspoken) return answer(400, "offer the sub-protocol pintle");
    if (!connections.hasRoom()) return answer(503, "too many connections", { "retry-after": "5" });
    const headers = new Headers(subprotocol === undefined ? [] : [["sec-websocket-protocol", subprotocol]]);
    const open = (socket: ServerWebSocket<SocketData>) => connections.open("websocket", new WebSocketOutlet(socket));
    if (server.upgrade(request, { data: { open, peer: undefined }, headers })) return undefined;
    return answer(426, "connect with WebSocket", { upgrade: "websocket" });
  };
  /** Other nodes come without a page and by whatever name they have for this one; their token is not the hosts'. */
  const link = (request: Request, server: WebServer, door: NodeDoor) => {
    const refused = door.refuse(request, server.requestIP(request)?.address ?? "unknown");
    if (refused) return refused;
    const open = (socket: ServerWebSocket<SocketData>) => {
      const { epoch, version } = state();
      return new CarriedHosts(socket, connections, { epoch, maxLineBytes: maxFrameBytes, nodeId, version });
    };
    if (server.upgrade(request, { data: { open, peer: undefined } })) return undefined;
    return answer(426, "connect with WebSocket", { upgrade: "websocket" });
  };
  const metrics: Route = async () => {
    const text = metricsText({
      store: await options.storeFigures(),
      state: state(),
      connections: connections.figures(),
      authFailures: door.failures.total,
    });
    return new Response(text, { headers: { "content-type": METRICS_TYPE, "cache-control": "no-store" } });
  };
  const page: Route = async (_, __, path) => {
    const sessionId = readPathPart(path);
    const html = sessionId === undefined ? undefined : await exportPage(sessionId);
    return html ? new Response(html, { headers: PAGE_HEADERS }) : answer(404, "there is no such session");
  };
  const blob: Route = async (_, __, digest) => {
    const bytes = DIGEST.test(digest) ? await readBlob?.(digest) : undefined;
    return bytes ? new Response(bytes, { headers: BLOB_HEADERS }) : answer(404, "there is no such picture");
  };
  /** What needs the token, by the first part of its path. */
  const routes: Readonly<Record<string, Route>> = { ws: upgrade, metrics, export: page, blob };

  const serving: Bun.Serve.Options<SocketData> = {
    ...{ ...address, idleTimeout: REQUEST_SECONDS, maxRequestBodySize: MAX_BODY_BYTES, development: false },
    fetch(request: Request, server: WebServer) {
      const url = URL.parse(request.url);
      if (!url) return answer(400, "the Host header is no host name"); // the address of a request begins with it
      if (url.pathname === "/healthz") return health(state().isDraining);
      if (url.pathname === "/readyz") return readiness(state().isDraining, options.isReady());
      if (url.pathname === NODE_PATH && nodeDoor) return link(request, server, nodeDoor);
      const refused = door.refuseSite(request, url);
      if (refused) return refused;
      if (url.pathname === "/") return livePage ? showPage(request, livePage) : answer(200, NO_PAGE);
      const [, name = "", ...rest] = url.pathname.split("/");
      const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
      if (!route) return answer(404, "there is nothing here");
      const unknown = door.refuseBearer(request, server.requestIP(request)?.address ?? "unknown");
      return unknown ?? route(request, server, rest.join("/"));
    },
    error: () => answer(500, "the server has made a mistake"),
    websocket: {
      maxPayloadLength: nodeDoor ? maxFrameBytes + HEAD_BYTES : maxFrameBytes,
      perMessageDeflate: false, // frames are small, and a proxy that ends TLS may compress
      idleTimeout: SILENT_SECONDS,
      sendPings: true,
      backpressureLimit: NO_LIMIT, // the connection stops writing by itself, and no frame is left out
      open(socket: ServerWebSocket<SocketData>) {
        socket.data.peer = socket.data.open(socket);
      },
      message({ data: { peer } }: ServerWebSocket<SocketData>, message: string | Buffer) {
        if (typeof message === "string") peer?.receive(message);
        else peer?.refuse("a frame is a text message");
      },
      drain: ({ data: { peer } }: ServerWebSocket<SocketData>) => peer?.goOn(),
      close: ({ data: { peer } }: ServerWebSocket<SocketData>) => peer?.closed(),
    },
  };
  const server = start(address, () => Bun.serve(serving));
  return {
    port: server.port ?? address.port,
    stop: () => void server.stop() /* resolves when the last connection is gone */,
  };
}

/** undefined: empty, or no text. */
function readPathPart(path: string): string | undefined {
  try {
    return decodeURIComponent(path) || undefined;
  } catch {
    return undefined;
  }
}

async function showPage({ headers }: Request, livePage: () => Promise<LivePage>): Promise<Response> {
  return pageAnswer(await livePage(), headers);
}

function health(isDraining: boolean): Response {
  return isDraining ? answer(503, "draining") : answer(200, "ok");
}

/** Not ready while it drains or its database does not answer: a load balancer sends hosts elsewhere, and nothing is restarted. */
async function readiness(isDraining: boolean, isReady: Promise<boolean>): Promise<Response> {
  if (isDraining) return answer(503, "draining");
  return (await isReady) ? answer(200, "ready") : answer(503, "the database does not answer");
}

function start<T>({ hostname, port }: ListenAddress, listen: () => T): T {
  try {
    return listen();
  } catch (error) {
    throw new ServeError(`cannot listen on ${hostname}:${port}: ${errorText(error)}`);
  }
}
