/** Shows what hides, turns or moves text by its code: an answer is for what was shown. */
export function visible(text: string): string {
  return text.replace(/[^\P{C}\n\t]/gu, (hidden) => `\\u{${hidden.codePointAt(0)!.toString(16)}}`);
}
