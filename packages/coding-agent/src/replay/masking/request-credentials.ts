import type { StreamOptions } from "@pintle/ai";

/** Names of headers that contain a key. Others contain words, such as a version, that may appear in any text. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Returns all secrets in a request except those in its body. */
export function credentialsOf({ headers }: RequestInit, { apiKey }: StreamOptions): string[] {
  const secret = [...new Headers(headers)].filter(([name]) => SECRET_HEADER.test(name)).map(([, value]) => value);
  return apiKey ? [apiKey, ...secret] : secret;
}
