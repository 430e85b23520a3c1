/** `$NAME` matches one node, `$$$NAME` any number of nodes. */
export interface Variable {
  name: string;
  isMany: boolean;
}

/** A `$` in a pattern or template and the word after it. */
interface Token {
  text: string;
  index: number;
  sigils: number;
  word: string;
}

const TOKEN = /(\$+)(\w*)/g;
const NAME = /^[A-Z_][A-Z0-9_]*$/;

/** Returns the variables that a pattern captures. Names that begin with `_` are not captured. */
export function capturedVariables(pattern: string): Variable[] {
  const found = new Map<string, Variable>();
  for (const { text, sigils, word } of tokens(pattern)) {
    if (!NAME.test(word) || word.startsWith("_")) continue;
    if (sigils === 1 || sigils === 3) found.set(text, { name: word, isMany: sigils === 3 });
  }
  return [...found.values()];
}

/** Returns the first `$$NAME` of a pattern, which looks like a variable but is not one. */
export function malformedVariable(pattern: string): string | undefined {
  return tokens(pattern).find(({ sigils, word }) => sigils === 2 && NAME.test(word))?.text;
}

export type TemplatePart = string | Variable;

/**
 * Parses a template into literal text and variables. Calls `refuse`, which throws, for a variable that the pattern does not
 * capture.
 */
export function parseTemplate(
  template: string,
  captured: readonly Variable[],
  refuse: (text: string) => never,
): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const token of tokens(template)) {
    const variable = variableOf(token, captured, refuse);
    if (!variable) continue;
    parts.push(template.slice(end, token.index), variable);
    end = token.index + token.text.length;
  }
  return [...parts, template.slice(end)];
}

function variableOf(
  { text, sigils, word }: Token,
  captured: readonly Variable[],
  refuse: (text: string) => never,
): Variable | undefined {
  const looksLikeOne = NAME.test(word) ? sigils <= 3 : word === "" && sigils === 3;
  if (looksLikeOne) {
    return captured.find(({ name, isMany }) => name === word && sigils === (isMany ? 3 : 1)) ?? refuse(text);
  }
  // `$NAME_old` is meant as a captured name with a suffix. Without this check it would end up in the code literally.
  const isGlued = word !== "" && captured.some(({ name }) => word.startsWith(name));
  return isGlued ? refuse(text) : undefined;
}

export function showVariable({ name, isMany }: Variable): string {
  return `${isMany ? "$$$" : "$"}${name}`;
}

function tokens(text: string): Token[] {
  return [...text.matchAll(TOKEN)].map((match) => ({
    text: match[0],
    index: match.index,
    sigils: match[1]?.length ?? 0,
    word: match[2] ?? "",
  }));
}
