import { errorText } from "@pintle/ai";
import type { ServerState } from "@pintle/wire";
import type { Server, ServerWebSocket } from "bun";
import type { NodeSocket, SocketPeer } from "../../cluster/node-socket.ts";
import type { StoreFigures } from "../../cluster/store-figures.ts";
import type { Connections } from "../../connections/connections.ts";
import { ServeError } from "../../serve-error.ts";
import { Authorizer, type AuthorizerOptions, answer } from "./authorize.ts";
import { NodeAuthorizer } from "./authorize-node.ts";
import type { ListenAddress } from "./listen-address.ts";
import { type LivePage, PAGE_FOLDERS, pageAnswer, pageFileAnswer } from "./live-page.ts";
import { METRICS_TYPE, metricsText } from "./metrics.ts";
import { readOffer } from "./offered-token.ts";
import type { Token } from "./token.ts";
import { WebSocketOutlet } from "./web-socket-outlet.ts";

/** A peer that answers no ping for this long is considered disconnected. */
const SILENT_SECONDS = 60;
/** How long a request may take to arrive, so that a client that sends it byte by byte cannot hold a connection. */
const REQUEST_SECONDS = 10;
/** The largest limit that Bun accepts. */
const NO_LIMIT = 0x7fff_ffff;
/** The limit of request bodies; requests have none. */
const MAX_BODY_BYTES = 1024;

export interface WebOptions extends AuthorizerOptions {
  address: ListenAddress;
  connections: Connections;
  /** Accepts links from other nodes, which authenticate with this token; undefined if there are no other nodes. */
  nodes?: { token: Token; socket: NodeSocket } | undefined;
  maxFrameBytes: number;
  state(): ServerState;
  /** Whether the server accepts sessions now. Never rejects. */
  isReady(): Promise<boolean>;
  /** Resolves with undefined without a database. Never rejects. */
  storeFigures(): Promise<StoreFigures | undefined>;
  exportPage(sessionId: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Returns the page at `/`; without it the server only serves hosts. */
  livePage?: (() => Promise<LivePage>) | undefined;
  /** Returns an image of a conversation by the digest of its content, or undefined if there is none. */
  readBlob?: ((digest: string) => Promise<Uint8Array<ArrayBuffer> | undefined>) | undefined;
}

/** Isolates an exported page from the origin of this server, because the page contains model output. */
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "sandbox allow-scripts",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

const DIGEST = /^[0-9a-f]{64}$/;
/** Makes browsers ignore an image that is opened directly. Only the page's script, which knows its type, uses it. */
const BLOB_HEADERS = {
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "private, max-age=31536000, immutable",
  "x-content-type-options": "nosniff",
};

const NOTHING = "there is nothing here";
const NO_PAGE = "pintle serve: hosts connect to /ws. Start the server with --web to get a page here";

interface SocketData {
  open(socket: ServerWebSocket<SocketData>): SocketPeer;
  peer: SocketPeer | undefined;
}

type WebServer = Server<SocketData>;
type Route = (request: Request, server: WebServer, path: string) => Response | undefined | Promise<Response>;
type Responder = (request: Request, server: WebServer) => ReturnType<Route>;

/** Serves HTTP and WebSocket on one port. */
export function serveWeb(options: WebOptions): { port: number; stop(): void } {
  const { address, connections, maxFrameBytes, state, exportPage, livePage, readBlob } = options;
  const authorizer = new Authorizer(options);
  const { nodes, maxAuthFailures } = options;
  const nodeLinks = nodes && {
    socket: nodes.socket,
    authorizer: new NodeAuthorizer({ token: nodes.token, maxAuthFailures }),
  };

  const upgrade: Route = (request, server) => {
    const { subprotocol, isUnspoken } = readOffer(request.headers);
    if (isUnspoken) return answer(400, 'offer the sub-protocol "pintle"');
    if (!connections.hasRoom()) return answer(503, "too many connections", { "retry-after": "5" });
    const headers = new Headers(subprotocol === undefined ? [] : [["sec-websocket-protocol", subprotocol]]);
    const open = (socket: ServerWebSocket<SocketData>) => connections.open("websocket", new WebSocketOutlet(socket));
    if (server.upgrade(request, { data: { open, peer: undefined }, headers })) return undefined;
    return answer(426, "connect with WebSocket", { upgrade: "websocket" });
  };
  /** Accepts nodes. They are not pages, may use any name for this server, and have their own token. */
  const link = (request: Request, server: WebServer, links: { socket: NodeSocket; authorizer: NodeAuthorizer }) => {
    const refused = links.authorizer.refuse(request, server.requestIP(request)?.address ?? "unknown");
    if (refused) return refused;
    const open = (socket: ServerWebSocket<SocketData>) => {
      const { epoch, version } = state();
      return links.socket.open(socket, { connections, epoch, version, maxLineBytes: maxFrameBytes });
    };
    if (server.upgrade(request, { data: { open, peer: undefined } })) return undefined;
    return answer(426, "connect with WebSocket", { upgrade: "websocket" });
  };
  const metrics: Route = async () => {
    const text = metricsText({
      store: await options.storeFigures(),
      state: state(),
      connections: connections.figures(),
      authFailures: authorizer.failures.total,
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
    return bytes ? new Response(bytes, { headers: BLOB_HEADERS }) : answer(404, "no such image");
  };
  /** Routes that need the token, by the first part of their path. */
  const routes: Readonly<Record<string, Route>> = { ws: upgrade, metrics, export: page, blob };

  const respond: Responder = (request, server) => {
    const url = URL.parse(request.url);
    if (!url) return answer(400, "the Host header is not a host name"); // Bun builds the address of a request from it
    if (url.pathname === "/healthz") return health(state().isDraining);
    if (url.pathname === "/readyz") return readiness(state().isDraining, options.isReady());
    if (nodeLinks && url.pathname === nodeLinks.socket.path) return link(request, server, nodeLinks);
    const refused = authorizer.refuseSite(request, url);
    if (refused) return refused;
    if (url.pathname === "/") return livePage ? showPage(request, livePage) : answer(200, NO_PAGE);
    const [, name = "", ...rest] = url.pathname.split("/");
    if (livePage && PAGE_FOLDERS.has(name)) return showPageFile(url.pathname.slice(1), request, livePage);
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
    if (!route) return answer(404, NOTHING);
    const unknown = authorizer.refuseBearer(request, server.requestIP(request)?.address ?? "unknown");
    return unknown ?? route(request, server, rest.join("/"));
  };

  const serving: Bun.Serve.Options<SocketData> = {
    ...address,
    idleTimeout: REQUEST_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    development: false,
    async fetch(request: Request, server: WebServer) {
      const response = await respond(request, server);
      return response && authorizer.forPage(request, response);
    },
    error: () => answer(500, "internal server error"),
    websocket: {
      maxPayloadLength: maxFrameBytes + (nodes?.socket.headBytes ?? 0),
      perMessageDeflate: false, // frames are small, and a TLS proxy may compress them
      idleTimeout: SILENT_SECONDS,
      sendPings: true,
      backpressureLimit: NO_LIMIT, // the connection itself stops writing, so no frame may be dropped here
      open(socket: ServerWebSocket<SocketData>) {
        socket.data.peer = socket.data.open(socket);
      },
      message({ data: { peer } }: ServerWebSocket<SocketData>, message: string | Buffer) {
        if (typeof message === "string") peer?.receive(message);
        else peer?.refuse("frames must be text messages");
      },
      drain: ({ data: { peer } }: ServerWebSocket<SocketData>) => peer?.drained(),
      close: ({ data: { peer } }: ServerWebSocket<SocketData>) => peer?.closed(),
    },
  };
  const server = start(address, () => Bun.serve(serving));
  return {
    port: server.port ?? address.port,
    stop: () => void server.stop() /* resolves when the last connection has ended */,
  };
}

/** Returns undefined if the part is empty or not valid UTF-8. */
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

async function showPageFile(path: string, { headers }: Request, livePage: () => Promise<LivePage>): Promise<Response> {
  return pageFileAnswer(await livePage(), path, headers) ?? answer(404, NOTHING);
}

function health(isDraining: boolean): Response {
  return isDraining ? answer(503, "draining") : answer(200, "ok");
}

/**
 * Reports "not ready" while draining or while the database does not answer, so that a load balancer sends hosts
 * elsewhere.
 */
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
