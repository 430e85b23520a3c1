import type { Token } from "@pintle/highlight";
import type { Theme } from "../screen/theme.ts";
import { widthOf } from "../text/width.ts";
import { wrapped } from "../text/wrap.ts";

/** Continuation rows of a line start further right, to distinguish them from separate lines. */
const HANGING = 2;
/** In a narrower window, wrapped code is not indented. */
const MIN_ROOM = 12;

/** Lays one line of code out as rows of at most this many columns. */
export function codeRows(tokens: readonly Token[], width: number, theme: Theme): string[] {
  const line = styledTokens(tokens, theme);
  if (widthOf(line) <= width) return [line];
  const indent = /^ */.exec(tokens.map(([, text]) => text).join(""))![0].length;
  const room = width - indent - HANGING;
  if (room < MIN_ROOM) return wrapped(line, width);
  const body = styledTokens(withoutStart(tokens, indent), theme);
  return wrapped(body, room).map((row, index) => `${" ".repeat(indent + (index === 0 ? 0 : HANGING))}${row}`);
}

export function styledTokens(tokens: readonly Token[], theme: Theme): string {
  return tokens.map(([kind, text]) => theme.token(kind)(text)).join("");
}

function withoutStart(tokens: readonly Token[], length: number): Token[] {
  let left = length;
  return tokens.map(([kind, text]): Token => {
    const cut = Math.min(left, text.length);
    left -= cut;
    return [kind, text.slice(cut)];
  });
}
