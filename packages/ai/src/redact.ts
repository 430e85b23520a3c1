const SHORTEST_SECRET = 6;

/** Removes every known secret from a text that a person or a log may see. */
export function redactSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  let result = text;
  for (const secret of secrets) {
    for (const part of secret ? [secret, secret.replace(/^Bearer /i, "")] : []) {
      if (part.length >= SHORTEST_SECRET) result = result.replaceAll(part, "<secret>");
    }
  }
  return result;
}
