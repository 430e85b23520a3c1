import type { Highlight, Token } from "@pintle/highlight";

/** Code before a line that is highlighted with it: when it grows longer, highlighting starts again closer to the line. */
const MAX_CONTEXT = 600;

/**
 * Highlights a code block line by line as it grows. The grammars keep no state between calls, so each line is highlighted
 * together with a bounded part of the code before it: the time per line does not grow with the block.
 */
export class FenceHighlighter {
  readonly #highlight: Highlight;
  readonly #language: string;
  /** Ends with a line break. */
  #context = "";
  /** Where highlighting can start: after a line break that is inside no string or comment. */
  #safeStart = 0;

  constructor(highlight: Highlight, language: string) {
    this.#highlight = highlight;
    this.#language = language;
  }

  /** Returns the tokens of the next line. */
  next(line: string): Token[] {
    const start = this.#context.length;
    const code = `${this.#context}${line}\n`;
    const tokens = this.#highlight(code, this.#language);
    this.#context = code;
    if (tokens.at(-1)?.[0] === undefined) this.#safeStart = code.length;
    if (code.length > MAX_CONTEXT) this.#shorten(start);
    return slice(tokens, start, start + line.length);
  }

  /** Inside a long comment or string, the line that opens it stays at the start of the context. */
  #shorten(lastLine: number): void {
    if (this.#safeStart === this.#context.length) {
      this.#context = "";
      this.#safeStart = 0;
      return;
    }
    const open = this.#context.slice(this.#safeStart);
    const opening = open.slice(0, open.indexOf("\n") + 1);
    const last = this.#context.slice(Math.max(lastLine, this.#safeStart + opening.length));
    this.#context = opening.length + last.length > MAX_CONTEXT ? "" : opening + last;
    this.#safeStart = 0;
  }
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
