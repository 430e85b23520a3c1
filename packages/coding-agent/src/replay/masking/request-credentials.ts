import type { StreamOptions } from "@pintle/ai";

/** Names of headers that carry a key. Others hold words, such as a version, that may stand in any text. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Everything secret that a request carries besides its body. */
export function credentialsOf({ headers }: RequestInit, { apiKey }: StreamOptions): string[] {
  const secret = [...new Headers(headers)].filter(([name]) => SECRET_HEADER.test(name)).map(([, value]) => value);
  return apiKey ? [apiKey, ...secret] : secret;
}
