import { isWordCharacter, mapNormal } from "../matching/normal-line.ts";

/** A word, a number or a single sign of a line. */
export interface Token {
  normal: string;
  /** As it stands in the line; empty for all but the first of those that are one character there, like `…`. */
  raw: string;
  /** What stands between it and the token before. */
  gap: string;
  /** It is part of the character before. */
  isGlued: boolean;
}

/** Lines with the same normal form have the same tokens. */
export function tokensOf(body: string): Token[] {
  const { normal, starts, ends } = mapNormal(body);
  const tokens: Token[] = [];
  let lastEnd = 0;
  for (let at = 0; at < normal.length; ) {
    if (normal[at] === " ") {
      at += 1;
      continue;
    }
    const end = tokenEnd(normal, at);
    const isGlued = at > 0 && starts[at] === starts[at - 1];
    const start = isGlued ? lastEnd : starts[at]!;
    const rawEnd = Math.max(lastEnd, ends[end - 1]!);
    tokens.push({
      normal: normal.slice(at, end),
      raw: body.slice(start, rawEnd),
      gap: body.slice(lastEnd, start),
      isGlued,
    });
    lastEnd = rawEnd;
    at = end;
  }
  return tokens;
}

function tokenEnd(normal: string, at: number): number {
  if (!isWordCharacter(normal[at])) {
    const code = normal.codePointAt(at)!;
    return at + (code > 0xffff ? 2 : 1);
  }
  let end = at + 1;
  while (end < normal.length && isWordCharacter(normal[end])) end += 1;
  return end;
}
