const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** Returns the address if a link may use it, or undefined for addresses that could run code, read a file or load something unnoticed. */
export function safeHref(address: string): string | undefined {
  const trimmed = address.trim();
  if (/^#[\w.~%-]*$/.test(trimmed)) return trimmed;
  if (!URL.canParse(trimmed)) return undefined;
  const { protocol, href } = new URL(trimmed);
  return ALLOWED.has(protocol) ? href : undefined;
}
