const PATH = "/ws";

/**
 * Returns the WebSocket URL of a gateway. Also accepts the address that `pintle serve` prints for a browser, which carries the
 * token in its fragment because browsers never send fragments to a server.
 */
export function gatewayUrl(text: string, token?: string): { url: string; token?: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(?:ws|http)s?:$/.test(url.protocol)) {
    const shown = text.replace(/#.*/s, "");
    throw new TypeError(
      `"${shown}" is not the URL of a gateway. Pass the address that \`pintle serve\` prints, or ws://host:port/ws`,
    );
  }
  const fragment = decodeURIComponent(url.hash.slice(1)).replace(/^token=/, "");
  url.hash = "";
  url.protocol = url.protocol.replace(/^http/, "ws");
  if (url.pathname === "/") url.pathname = PATH;
  const own = token ?? fragment;
  return { url: url.href, ...(own !== "" && { token: own }) };
}
