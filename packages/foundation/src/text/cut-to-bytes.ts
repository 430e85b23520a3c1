/** Returns the longest prefix of at most this many UTF-8 bytes that ends with a whole character. */
export function cutToBytes(text: string, maxBytes: number): string {
  // No character has more UTF-16 units than bytes, so more units than this never fit.
  const candidate = text.slice(0, Math.max(0, maxBytes));
  const bytes = Buffer.from(candidate);
  if (bytes.length <= maxBytes) return candidate;
  let end = maxBytes;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

/** Counts lines. A newline at the end ends the last line and does not start another. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = 0; at < text.length; lines += 1) {
    const newline = text.indexOf("\n", at);
    at = newline === -1 ? text.length : newline + 1;
  }
  return lines;
}
