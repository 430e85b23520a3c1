/** Makes characters visible that hide, reorder or move text, so that users approve what they see. */
export function visible(text: string): string {
  return text.replace(/[^\P{C}\n\t]/gu, (hidden) => `\\u{${hidden.codePointAt(0)!.toString(16)}}`);
}
