/**
 * The beginning of a text that is longer than the limit, with a mark that something is missing. Half a character at the cut
 * becomes U+FFFD: some providers refuse a text with half a surrogate pair.
 */
export function cutText(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text;
}
