import { RpcClosedError } from "../errors.ts";
import type { Connect, GatewayTransport } from "./gateway-transport.ts";
import { gatewayUrl } from "./gateway-url.ts";

/** The subset of WebSocket in use. Browsers, Bun, Node 22 and later, and several packages provide one. */
export interface WebSocketLike {
  readonly bufferedAmount: number;
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: "open" | "error", listener: (event: object) => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number; reason: string }) => void): void;
}

export interface WebSocketOptions {
  /** `ws://…/ws`, or the address that `pintle serve` prints. */
  url: string;
  /** Needed unless the URL contains it. */
  token?: string;
  /** Defaults to the global WebSocket. */
  WebSocket?: new (
    url: string,
    protocols: string[],
  ) => WebSocketLike;
}

const PROTOCOL = "pintle";
/** Browsers expose how many bytes are queued, but no event when they have been sent. */
const FULL_BYTES = 1024 * 1024;
const LOOK_AGAIN_MS = 20;
const OPEN = 1;

/** Connects to a gateway from a browser. The token is sent as a subprotocol, because a page cannot set headers. */
export function webSocket({ url, token, WebSocket = globalThis.WebSocket }: WebSocketOptions): Connect {
  const place = gatewayUrl(url, token);
  const protocols = [PROTOCOL, ...(place.token === undefined ? [] : [`${PROTOCOL}.token.${place.token}`])];
  return (signal) => opened(new WebSocket(place.url, protocols), signal);
}

/** Resolves with a transport when the socket is open. */
export function opened(socket: WebSocketLike, signal: AbortSignal): Promise<GatewayTransport> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      socket.close();
      reject(signal.reason);
    };
    const transport = transportOf(socket, () => signal.removeEventListener("abort", onAbort));
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    socket.addEventListener("open", () => resolve(transport));
    socket.addEventListener("close", ({ code }) =>
      reject(new RpcClosedError(`Could not connect to the server (WebSocket code ${code})`)),
    );
  });
}

function transportOf(socket: WebSocketLike, onEnd: () => void): GatewayTransport {
  return {
    write(text) {
      // Each message carries one frame.
      for (const line of text.split("\n")) if (line !== "") socket.send(line);
      if (socket.bufferedAmount > FULL_BYTES) return emptied(socket);
    },
    onData: (listener) => socket.addEventListener("message", ({ data }) => listener(`${data}\n`)),
    onClose(listener) {
      socket.addEventListener("error", () => {}); // `close` always follows and is handled below
      socket.addEventListener("close", ({ code, reason }) => {
        onEnd();
        listener(new RpcClosedError(`The connection was closed${reason === "" ? "" : `: ${reason}`} (code ${code})`));
      });
    },
    close: () => socket.close(),
  };
}

/** Settles when the buffer has drained or the socket has closed. */
async function emptied(socket: WebSocketLike): Promise<void> {
  while (socket.readyState === OPEN && socket.bufferedAmount > FULL_BYTES / 2) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
