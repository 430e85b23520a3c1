/** Returns a number of tokens in few characters: `950`, `1.2k`, `34k`. */
export function tokenCount(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 10_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${Math.round(tokens / 1_000)}k`;
}

/** Returns dollars with as many digits as matter. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 3 : 2)}`;
}
