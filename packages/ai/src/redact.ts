const SHORTEST_SECRET = 6;

/** Removes every known secret from a text that a person or a log may see, also one that was cut off at an ellipsis. */
export function redactSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  let result = text;
  for (const secret of secrets) {
    for (const part of secret ? [secret, secret.replace(/^Bearer /i, "")] : []) {
      if (part.length < SHORTEST_SECRET) continue;
      result = result.replaceAll(part, "<secret>");
      if (result.includes("…")) result = redactCutSecret(result, part);
    }
  }
  return result;
}

function redactCutSecret(text: string, secret: string): string {
  let result = text;
  for (let length = secret.length - 1; length >= SHORTEST_SECRET; length -= 1) {
    result = result.replaceAll(`${secret.slice(0, length)}…`, "<secret>…");
  }
  return result;
}
