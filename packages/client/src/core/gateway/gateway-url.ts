const PATH = "/ws";

/**
 * Where the WebSocket of a gateway is: also from the address that `pintle serve` prints for a browser, whose fragment is the
 * token. A fragment is sent to no server.
 */
export function gatewayUrl(text: string, token?: string): { url: string; token?: string } {
  const url = new URL(text);
  const fragment = decodeURIComponent(url.hash.slice(1)).replace(/^token=/, "");
  url.hash = "";
  url.protocol = url.protocol.replace(/^http/, "ws");
  if (url.pathname === "/") url.pathname = PATH;
  const own = token ?? fragment;
  return { url: url.href, ...(own !== "" && { token: own }) };
}
