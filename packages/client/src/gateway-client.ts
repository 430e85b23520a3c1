import { GatewayCore, type GatewayOptions } from "./core/gateway/gateway-core.ts";
import type { Connect } from "./core/gateway/gateway-transport.ts";
import { gatewayUrl } from "./core/gateway/gateway-url.ts";
import { nodeWebSocket } from "./gateway/node-web-socket.ts";
import { unixSocket } from "./gateway/unix-socket.ts";

/** One of `url`, `socket` and `connect`. */
export interface GatewayClientOptions extends Omit<GatewayOptions, "connect"> {
  /** `ws://…/ws`, `wss://…`, or the address that `pintle serve` prints, with the token in its fragment. */
  url?: string;
  /** If it is not in the address. Sent as a header. */
  token?: string;
  /** The path that `pintle serve --socket` was started with. */
  socket?: string;
  connect?: Connect;
}

/** Speaks to `pintle serve` from Node and Bun. */
export class GatewayClient extends GatewayCore {
  constructor(options: GatewayClientOptions) {
    super({ ...options, connect: wayTo(options) });
  }
}

function wayTo({ url, token, socket, connect }: GatewayClientOptions): Connect {
  if (connect) return connect;
  if (socket !== undefined) return unixSocket(socket);
  if (url !== undefined) return nodeWebSocket(gatewayUrl(url, token));
  throw new TypeError("GatewayClient needs one of url, socket and connect");
}
