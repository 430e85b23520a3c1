const CAUSES: Readonly<Record<string, string>> = {
  ConnectionRefused: "connection refused",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ConnectionClosed: "connection closed",
  ENOTFOUND: "host not found",
  DNSException: "host not found",
  FailedToOpenSocket: "connection error",
  ETIMEDOUT: "connection timed out",
  EPROTO: "TLS handshake failed",
};

/**
 * Returns why a connection failed, in our words, because a runtime's messages are advice for developers. Returns
 * undefined for any other error.
 */
export function networkCause(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && Object.hasOwn(CAUSES, code) ? CAUSES[code] : undefined;
}
