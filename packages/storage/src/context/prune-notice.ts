const NOTICE = /^\[Output truncated - (\d+) tokens\]$/;

/** The text that replaces a pruned result. */
export function pruneNotice(tokens: number): string {
  return `[Output truncated - ${tokens} tokens]`;
}

/** Returns the size stated in a notice, or undefined if the text is not one. */
export function prunedTokens(text: string): number | undefined {
  const tokens = NOTICE.exec(text)?.[1];
  return tokens === undefined ? undefined : Number(tokens);
}
