/** Shorter words are no keys, and cutting them out of every text would spoil it. */
const SHORTEST_SECRET = 8;

/** How often JSON may stand inside a text of JSON: arguments of a tool that quote a file that quotes a request. */
const QUOTED_LEVELS = 3;

/** One expression for all of these secrets, however they are spelled; undefined when there is nothing to look for. */
export function anySecret(secrets: readonly (string | undefined)[]): RegExp | undefined {
  const needles = [...new Set(secrets.flatMap(spellings))];
  // The longest first: a secret may be the beginning of another.
  needles.sort((a, b) => b.length - a.length);
  return needles.length === 0 ? undefined : new RegExp(needles.map((text) => RegExp.escape(text)).join("|"), "g");
}

/** A secret as it may stand in a text: plain, inside JSON inside JSON, in an address, encoded. */
function spellings(secret: string | undefined): string[] {
  const plain = secret?.trim().replace(/^(Bearer|Basic)\s+/i, "") ?? "";
  if (plain.length < SHORTEST_SECRET) return [];
  const base64 = Buffer.from(plain).toString("base64");
  const spelled = [plain, encodeURIComponent(plain.toWellFormed()), base64, base64.replace(/=+$/, "")];
  spelled.push(Buffer.from(plain).toString("base64url"));
  let quoted = plain;
  for (let depth = 0; depth < QUOTED_LEVELS; depth += 1) {
    quoted = JSON.stringify(quoted).slice(1, -1);
    spelled.push(quoted);
  }
  return spelled;
}
