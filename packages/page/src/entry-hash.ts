const PREFIX = "#entry-";

/** Returns the URL fragment that links to an entry. */
export function entryHash(id: string): string {
  return (
    PREFIX +
    encodeURIComponent(id.toWellFormed()).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
  );
}

/** Returns undefined if the address does not name an entry. */
export function entryOfHash(hash: string): string | undefined {
  if (!hash.startsWith(PREFIX)) return undefined;
  try {
    return decodeURIComponent(hash.slice(PREFIX.length));
  } catch {
    return undefined; // not created by this page
  }
}
