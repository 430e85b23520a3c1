import type { Highlighter, Token } from "@pintle/highlight";

/** Limit for the code before a line that is highlighted with it. Beyond this, only its two ends are kept. */
const MAX_CONTEXT = 600;
/** Syntax that is allowed only at the start of a file, such as `#!`, is not recognized beyond this limit. */
const NOT_AT_START = "\n";

/**
 * Highlights a code block line by line as it grows. The grammars keep no state between calls, so a line inside a comment, a
 * string or anything else that began above it is highlighted together with the code from there on, up to a limit: the time
 * per line does not grow with the block.
 */
export class FenceHighlighter {
  readonly #highlight: Highlighter["highlightStart"];
  readonly #language: string;
  /** Ends with a line break unless it is empty. */
  #context = "";

  constructor(highlight: Highlighter["highlightStart"], language: string) {
    this.#highlight = highlight;
    this.#language = language;
  }

  /** Returns the tokens of the next line. */
  next(line: string): Token[] {
    const start = this.#context.length;
    const code = `${this.#context}${line}\n`;
    const { tokens, isOpen } = this.#highlight(code, this.#language);
    if (!isOpen) this.#context = NOT_AT_START;
    else this.#context = code.length > MAX_CONTEXT ? shortened(code, start) : code;
    return slice(tokens, start, start + line.length);
  }
}

/** Keeps the line that opens the comment or string, and the last one. */
function shortened(context: string, lastLine: number): string {
  const opening = context.slice(0, context.indexOf("\n", 1) + 1);
  const last = context.slice(Math.max(lastLine, opening.length));
  return opening.length + last.length > MAX_CONTEXT ? NOT_AT_START : opening + last;
}

/** Splits whole code into lines of tokens. */
export function tokenLines(tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = [[]];
  for (const [kind, text] of tokens) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)!.push([kind, part]);
    }
  }
  return lines;
}

function slice(tokens: readonly Token[], start: number, end: number): Token[] {
  const found: Token[] = [];
  let at = 0;
  for (const [kind, text] of tokens) {
    const part = text.slice(Math.max(0, start - at), Math.max(0, end - at));
    if (part !== "") found.push([kind, part]);
    at += text.length;
  }
  return found;
}
