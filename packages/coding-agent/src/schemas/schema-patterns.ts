/**
 * Returns the pattern in the syntax that the `u` flag requires, with which the validator compiles it. Authors who never used that
 * flag escape characters needlessly, but their meaning is clear. Throws SyntaxError for an invalid pattern.
 */
export function toUnicodePattern(pattern: string): string {
  if (isUnicodePattern(pattern)) return pattern;
  new RegExp(pattern); // invalid without the flag too: this error names the mistake, the other one only the strict rule
  const spelled = respell(pattern);
  new RegExp(spelled, "u");
  return spelled;
}

function isUnicodePattern(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/** One escape, one quantifier in braces, or one character. */
const TOKEN =
  /\\(?:u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|x[\da-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|k<[^>]*>|\d+|.)|\{\d+(?:,\d*)?\}|./gs;
const LONG_ESCAPE = /^\\(?:[uxcpPk].|\d)/;
const KNOWN_ESCAPE = /^\\[\^$\\.*+?()[\]{}|/dDsSwWfnrtv]$/;
const WORD_BOUNDARY = /^\\[bB]$/;
const KEPT_IN_CLASS = /^\\[-b]$/;
/** Matches several characters, so it cannot be the end of a range. */
const SET_ESCAPE = /^\\(?:[dDsSwW]$|[pP]\{)/;
const LITERAL_BRACKET = /^[\]{}]$/;

function respell(pattern: string): string {
  const tokens = pattern.match(TOKEN) ?? [];
  let isInClass = false;
  const spelled = tokens.map((token, index) => {
    if (isInClass) {
      isInClass = token !== "]";
      const isBesideSet = SET_ESCAPE.test(tokens[index - 1] ?? "") || SET_ESCAPE.test(tokens[index + 1] ?? "");
      if (token === "-" && isBesideSet) return "\\-";
      return KEPT_IN_CLASS.test(token) ? token : withoutNeedlessEscape(token);
    }
    isInClass = token === "[";
    if (LITERAL_BRACKET.test(token)) return `\\${token}`;
    return WORD_BOUNDARY.test(token) ? token : withoutNeedlessEscape(token);
  });
  return spelled.join("");
}

function withoutNeedlessEscape(token: string): string {
  const isNeedless = token.startsWith("\\") && !LONG_ESCAPE.test(token) && !KNOWN_ESCAPE.test(token);
  return isNeedless ? token.slice(1) : token;
}
