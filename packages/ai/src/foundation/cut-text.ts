/**
 * Returns the beginning of a string that exceeds the limit, with a mark that shows the cut. Half a character at the cut
 * becomes U+FFFD, because some providers refuse strings with half a surrogate pair.
 */
export function cutText(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text;
}
