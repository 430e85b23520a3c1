/** Shorter values are words rather than keys, and masking every occurrence would make text unreadable. */
const SHORTEST_SECRET = 8;

/** How often JSON may be nested in JSON strings: tool arguments that quote a file that quotes a request. */
const QUOTED_LEVELS = 3;

/** Builds one expression that matches every spelling of the secrets. Returns undefined if none is long enough. */
export function anySecret(secrets: readonly (string | undefined)[], shortest = SHORTEST_SECRET): RegExp | undefined {
  const needles = [...new Set(plainSecrets(secrets, shortest).flatMap(spellings))];
  // The longest first: a secret may be the beginning of another.
  needles.sort((a, b) => b.length - a.length);
  return needles.length === 0 ? undefined : new RegExp(needles.map((text) => RegExp.escape(text)).join("|"), "g");
}

/** Builds one expression that matches the beginning of a secret before an ellipsis, where a message was truncated. */
export function anyCutSecret(secrets: readonly (string | undefined)[], shortest = SHORTEST_SECRET): RegExp | undefined {
  const cut = plainSecrets(secrets, shortest).map((plain) => {
    const rest = [...plain.slice(shortest)];
    const optional = rest.reduceRight((inner, character) => `(?:${RegExp.escape(character)}${inner})?`, "");
    return RegExp.escape(plain.slice(0, shortest)) + optional;
  });
  return cut.length === 0 ? undefined : new RegExp(`(?:${cut.join("|")})(?=…)`, "g");
}

function plainSecrets(secrets: readonly (string | undefined)[], shortest: number): string[] {
  const plain = secrets.map((secret) => secret?.trim().replace(/^(Bearer|Basic)\s+/i, "") ?? "");
  return [...new Set(plain)].filter(({ length }) => length >= shortest);
}

/** Returns a secret as it may appear in text: plain, inside JSON inside JSON, in an address, encoded. */
function spellings(plain: string): string[] {
  const bytes = new TextEncoder().encode(plain);
  const base64 = bytes.toBase64();
  const spelled = [plain, encodeURIComponent(plain.toWellFormed()), base64, base64.replace(/=+$/, "")];
  spelled.push(bytes.toBase64({ alphabet: "base64url", omitPadding: true }));
  let quoted = plain;
  for (let depth = 0; depth < QUOTED_LEVELS; depth += 1) {
    quoted = JSON.stringify(quoted).slice(1, -1);
    spelled.push(quoted);
  }
  return spelled;
}
