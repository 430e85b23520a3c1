/** Masks whatever looks like a key, a token or a password. */
export function maskSecrets(text: string): string {
  // Loaded for the first line, because building the table of tokens takes milliseconds and most starts log nothing.
  const { createRedactor }: typeof import("@pintle/ai/secrets") = require("@pintle/ai/secrets");
  return createRedactor().text(text);
}

/** Writes a line to stderr, for people and log collectors. */
export function logLine(text: string): void {
  console.error(`pintle: ${maskSecrets(text)}`);
}

/** Writes an unexpected error to stderr, with its stack. */
export function logBug(error: unknown, context = ""): void {
  logLine(`${context}${typeof error === "string" ? error : Bun.inspect(error)}`);
}
