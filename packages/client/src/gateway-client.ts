import { createConnection } from "node:net";
import { GatewayCore, type GatewayOptions } from "./core/gateway/gateway-core.ts";
import type { Connect } from "./core/gateway/gateway-transport.ts";
import { gatewayUrl } from "./core/gateway/gateway-url.ts";
import { nodeWebSocket } from "./gateway/node-web-socket.ts";
import { streamTransport } from "./gateway/stream-transport.ts";

/** Set one of `url`, `socket` and `connect`. */
export interface GatewayClientOptions extends Omit<GatewayOptions, "connect"> {
  /** `ws://…/ws`, `wss://…`, or the address that `pintle serve` prints, with the token in its fragment. */
  url?: string;
  /** Needed unless the URL contains it. Sent as a header. */
  token?: string;
  /** The path passed to `pintle serve --socket`. */
  socket?: string;
  connect?: Connect;
}

/** Connects to `pintle serve` from Node and Bun. */
export class GatewayClient extends GatewayCore {
  constructor(options: GatewayClientOptions) {
    super({ ...options, connect: wayTo(options) });
  }
}

function wayTo({ url, token, socket, connect }: GatewayClientOptions): Connect {
  if (connect) return connect;
  if (socket !== undefined) return unixSocket(socket);
  if (url !== undefined) return nodeWebSocket(gatewayUrl(url, token));
  throw new TypeError("GatewayClient needs one of the options url, socket and connect");
}

/** Connects to `pintle serve --socket PATH`. */
function unixSocket(path: string): Connect {
  return (signal) =>
    new Promise((resolve, reject) => {
      const socket = createConnection({ path, signal });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(streamTransport(socket));
      });
    });
}
