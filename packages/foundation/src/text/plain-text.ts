/**
 * Characters that a reviewer of a file does not see: terminal control characters, characters that change the text
 * direction or have no width, and tag characters, which can spell hidden text. Joiners stay, because scripts and emoji
 * need them.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Returns the text of a file for the model, without hidden characters. */
export function plainText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(HIDDEN, "");
}

/** Returns a path or name on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, " ").trim();
}

export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
