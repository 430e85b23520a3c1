import { RpcClosedError } from "../errors.ts";
import type { Connect, GatewayTransport } from "./gateway-transport.ts";
import { gatewayUrl } from "./gateway-url.ts";

/** As far as it is used: browsers, Bun, Node from version 22 and packages have one. */
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
  /** If it is not in the address. */
  token?: string;
  /** The global one if absent. */
  WebSocket?: new (
    url: string,
    protocols: string[],
  ) => WebSocketLike;
}

const PROTOCOL = "pintle";
/** A browser says how much has not left, not when it has. */
const FULL_BYTES = 1024 * 1024;
const LOOK_AGAIN_MS = 20;
const OPEN = 1;

/** A way to a gateway for browsers: the token goes as a sub-protocol, because a page cannot set headers. */
export function webSocket({ url, token, WebSocket = globalThis.WebSocket }: WebSocketOptions): Connect {
  const place = gatewayUrl(url, token);
  const protocols = [PROTOCOL, ...(place.token === undefined ? [] : [`${PROTOCOL}.token.${place.token}`])];
  return (signal) => opened(new WebSocket(place.url, protocols), signal);
}

/** Resolves when it is open. */
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
      reject(new RpcClosedError(`There is no connection to the server (WebSocket code ${code})`)),
    );
  });
}

function transportOf(socket: WebSocketLike, onEnd: () => void): GatewayTransport {
  return {
    write(text) {
      // A message is a frame.
      for (const line of text.split("\n")) if (line !== "") socket.send(line);
      if (socket.bufferedAmount > FULL_BYTES) return emptied(socket);
    },
    onData: (listener) => socket.addEventListener("message", ({ data }) => listener(`${data}\n`)),
    onClose(listener) {
      socket.addEventListener("error", () => {}); // a close follows, which counts
      socket.addEventListener("close", ({ code, reason }) => {
        onEnd();
        listener(new RpcClosedError(`The connection has ended${reason === "" ? "" : `: ${reason}`} (code ${code})`));
      });
    },
    close: () => socket.close(),
  };
}

/** Settles when there is room again, or never will be. */
async function emptied(socket: WebSocketLike): Promise<void> {
  while (socket.readyState === OPEN && socket.bufferedAmount > FULL_BYTES / 2) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
