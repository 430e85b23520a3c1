const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** An address that a link may have: undefined for everything that could run, read a file or leave the page unseen. */
export function safeHref(address: string): string | undefined {
  const trimmed = address.trim();
  if (/^#[\w.~%-]*$/.test(trimmed)) return trimmed;
  if (!URL.canParse(trimmed)) return undefined;
  const { protocol, href } = new URL(trimmed);
  return ALLOWED.has(protocol) ? href : undefined;
}
