/** Splits text into lines that keep their line breaks; there is no empty line after the last one. */
export function terminatedLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}
