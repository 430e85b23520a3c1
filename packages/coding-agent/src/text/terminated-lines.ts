/** With their line breaks; nothing after the last one. */
export function terminatedLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}
