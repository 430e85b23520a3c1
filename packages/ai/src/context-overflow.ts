const OVERFLOW_PATTERNS: readonly RegExp[] = [
  /(prompt|input|request|context)( is)? too long/i,
  /exceed(s|ed)? .{0,40}(context (window|length|size|limit)|token limit|maximum number of (input )?tokens|maximum (prompt|context|input) (length|size))/i,
  /maximum (prompt|context|input) length/i,
  /reduce the length of the (messages|prompt|input)/i,
  /context[_ ](length|window|size)[_ ]exceeded/i,
  /too many (input )?tokens/i,
  /token limit exceeded/i,
  /greater than the context length/i,
  /model_context_window_exceeded/i,
  /(request_too_large|(payload|entity) too large).{0,200}token/is,
];

/** A limit per period is a rate limit, even if it mentions tokens. */
const RATE_PATTERN = /tokens? per (minute|min|second|day|hour)|rate limit/i;

/** Returns whether the server reports that the input does not fit the model's context window. */
export function isContextOverflowText(text: string): boolean {
  return !RATE_PATTERN.test(text) && OVERFLOW_PATTERNS.some((pattern) => pattern.test(text));
}
