import { anySecret, SECRET_FORMS, type SecretForm } from "@pintle/ai/secrets";

/** One kind of string that must not appear in a file, and its replacement. */
interface Pass {
  pattern: RegExp;
  replace(match: RegExpExecArray, part: Part): string;
}

/** The characters of a match that are in one piece; `to` is undefined in the last piece. */
export interface Part {
  from: number;
  to: number | undefined;
}

export interface Mask {
  text(text: string): string;
  /** Masks text that arrived in pieces: matches across the borders are found as well. */
  pieces(pieces: readonly string[]): readonly string[];
}

export interface MaskInput {
  secrets: readonly (string | undefined)[];
  /** Maps a path to its placeholder, or to the placeholder for a part of it. */
  places: ReadonlyMap<string, (part: Part) => string>;
}

const SECRET = "<secret>";

/** Masks known secrets first, because a format that matches part of one would leave the rest. */
export function createMask({ secrets, places }: MaskInput): Mask {
  const passes: Pass[] = [];
  const known = anySecret(secrets);
  if (known) passes.push({ pattern: known, replace: atStart(() => SECRET) });
  passes.push(...SECRET_FORMS.map(toPass));
  const paths = [...places.keys()].filter((path) => path.length > 1).sort(byLength);
  if (paths.length > 0) {
    passes.push({ pattern: wholePaths(paths), replace: ([path], part) => places.get(path)?.(part) ?? path });
  }
  const pieces = (given: readonly string[]) => passes.reduce(maskPieces, given);
  return { pieces, text: (text) => pieces([text])[0]! };
}

/** Creates the pass for a secret. A match that is not a secret stays, each piece with its own part. */
function toPass({ pattern, isSecret }: SecretForm): Pass {
  const masked = atStart((match) => `${match[1] ?? ""}${SECRET}`);
  return {
    pattern,
    replace: (match, part) =>
      isSecret?.(match[2] ?? "") === false ? match[0].slice(part.from, part.to) : masked(match, part),
  };
}

/** Puts the whole replacement into the piece in which the match begins. */
function atStart(replace: (match: RegExpExecArray) => string): Pass["replace"] {
  return (match, { from }) => (from === 0 ? replace(match) : "");
}

/** Matches whole paths: `/srv/a` does not match in `/srv/ab`, `/srv/a.txt` or `/net/srv/a`. */
function wholePaths(paths: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<![\w.-])${anyOf(paths).source}(?![\w-]|\.\w)`, "g");
}

function anyOf(texts: readonly string[]): RegExp {
  return new RegExp(`(?:${texts.map((text) => RegExp.escape(text)).join("|")})`, "g");
}

/** Sorts the longest first, because a path may be the beginning of another. */
function byLength(a: string, b: string): number {
  return b.length - a.length;
}

function maskPieces(pieces: readonly string[], { pattern, replace }: Pass): readonly string[] {
  const whole = pieces.length === 1 ? pieces[0]! : pieces.join("");
  const matches = [...whole.matchAll(pattern)];
  if (matches.length === 0) return pieces;
  const ends = matches.map((match) => match.index + match[0].length);
  const masked: string[] = [];
  let start = 0;
  let next = 0; // the first match that does not end before this piece
  for (const piece of pieces) {
    const end = start + piece.length;
    let text = "";
    let at = start;
    for (; next < matches.length; next += 1) {
      const match = matches[next]!;
      const matchEnd = ends[next]!;
      if (match.index >= end) break;
      text += whole.slice(at, Math.max(at, match.index));
      const to = matchEnd > end ? end - match.index : undefined;
      text += replace(match, { from: Math.max(0, start - match.index), to });
      at = Math.min(matchEnd, end);
      if (to !== undefined) break; // it continues in the next piece
    }
    masked.push(text + whole.slice(at, end));
    start = end;
  }
  return masked;
}
