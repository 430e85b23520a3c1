/** Words with which models stand in for text that they leave out. */
const LEFT_OUT =
  /^(?:the )?(?:rest|remaining|remainder|existing|previous|other|same|unchanged|omitted|snip)\b.{0,50}$/i;
/** Without dots such words may be a comment like any other. */
const LEFT_OUT_FOR_CERTAIN =
  /\b(?:unchanged|omitted|as before|stays? the same|remains? the same)$|\brest of (?:the )?(?:code|file|class|function|method|component|content|implementation)\b|^existing \w+$/i;
const DOTS = /^(?:\.{3}|…)|(?:\.{3}|…)$/;
const COMMENT = /^(?:\/\/+|#+|--+|;+|%+|\/\*+|<!--|\{\/\*|\*|"""|''')\s*(.*?)\s*(?:\*\/\}?|-->|"""|''')?$/;
const ONLY_DOTS = /^(?:\.{3,}|…|\[\.{3}\]|\(\.{3}\)|\[…\]|\{\s*\.{3}\s*\})$/;

/** The first line (1-based) of a text that stands in for lines which are left out, and is not in the file. */
export function findPlaceholder(text: string, file: string): { number: number; line: string } | undefined {
  const lines = text.split("\n");
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === "" || !isPlaceholder(line) || isBody(line, lines, index)) continue;
    if (!hasLine(file, line)) return { number: index + 1, line };
  }
  return undefined;
}

function isPlaceholder(line: string): boolean {
  if (ONLY_DOTS.test(line)) return true;
  const comment = COMMENT.exec(line)?.[1];
  if (comment === undefined) return false;
  const words = comment.replaceAll(/\.{3,}|…/g, " ").replaceAll(/^[\s([]+|[\s)\]]+$/g, "");
  const hasDots = DOTS.test(comment);
  if (words === "") return hasDots;
  return LEFT_OUT.test(words) && (hasDots || LEFT_OUT_FOR_CERTAIN.test(words));
}

/** `...` is a statement in Python, and the end of a document in YAML. */
function isBody(line: string, lines: readonly string[], index: number): boolean {
  if (line !== "...") return false;
  const before = lines.slice(0, index).findLast((other) => other.trim() !== "");
  return before === undefined ? lines.length === 1 : /[:"'`]\s*(?:#.*)?$/.test(before.trimEnd());
}

function hasLine(file: string, line: string): boolean {
  for (let at = file.indexOf(line); at !== -1; at = file.indexOf(line, at + 1)) {
    const start = file.lastIndexOf("\n", at) + 1;
    const newline = file.indexOf("\n", at);
    if (file.slice(start, newline === -1 ? file.length : newline).trim() === line) return true;
  }
  return false;
}
