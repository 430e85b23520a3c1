const NOTICE = /^\[Output truncated - (\d+) tokens\]$/;

/** What the context shows in place of a pruned result. */
export function pruneNotice(tokens: number): string {
  return `[Output truncated - ${tokens} tokens]`;
}

/** The size that a notice tells. undefined: the text is none. */
export function prunedTokens(text: string): number | undefined {
  const tokens = NOTICE.exec(text)?.[1];
  return tokens === undefined ? undefined : Number(tokens);
}
