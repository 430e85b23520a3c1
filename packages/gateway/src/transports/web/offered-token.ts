const SUBPROTOCOL = "pintle";
const TOKEN_PREFIX = "pintle.token.";

interface Offer {
  /** The token in the request; undefined if there is none. */
  token: string | undefined;
  /** The offered sub-protocol that the server supports; undefined if none was offered. */
  subprotocol: typeof SUBPROTOCOL | undefined;
  /** True if sub-protocols were offered, but none that the server supports: a browser would reject the connection. */
  isUnspoken: boolean;
}

/**
 * Reads the token of a request: from its `Authorization` header or, for browsers, which cannot set that, from the
 * sub-protocols.
 */
export function readOffer(headers: Headers): Offer {
  const offered = (headers.get("sec-websocket-protocol") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const isSpoken = offered.includes(SUBPROTOCOL);
  const inProtocol = offered.find((name) => name.startsWith(TOKEN_PREFIX))?.slice(TOKEN_PREFIX.length);
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  return {
    token: bearer ?? inProtocol,
    subprotocol: isSpoken ? SUBPROTOCOL : undefined,
    isUnspoken: offered.length > 0 && !isSpoken,
  };
}
