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

/** Why there is no connection, in our words: a runtime's own are advice for the authors of programs. undefined: something else. */
export function networkCause(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && Object.hasOwn(CAUSES, code) ? CAUSES[code] : undefined;
}
