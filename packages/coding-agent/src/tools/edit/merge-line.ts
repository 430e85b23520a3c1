import { align } from "./align.ts";
import { isCommentGap, isWord, roleOf, type Style, type Token, tokensOf, Unclear } from "./style.ts";

const COLUMNS = "columns are aligned with spaces";

/** Styles to follow, nearest first: the line's own, then that of the whole place. */
export type Styles = readonly Style[];

/** One line in the old text, in the file and in the new text. */
interface LineVersions {
  old: string;
  file: string;
  fresh: string;
}

/** Keeps the file's bytes for the tokens that the edit does not change, and applies the file's style to the others. */
export function mergeLine({ old, file, fresh }: LineVersions, styles: Styles): string {
  if (old === fresh) return file;
  if (file === fresh) return fresh;
  const oldTokens = tokensOf(old);
  const fileTokens = tokensOf(file);
  const newTokens = tokensOf(fresh);
  const origins = align(
    oldTokens.map(({ normal }) => normal),
    newTokens.map(({ normal }) => normal),
  );
  refuseHalfCharacters(fileTokens, origins);
  const gapsOf = gapOrigins(origins, oldTokens.length);
  const parts: string[] = [];
  for (const [index, token] of newTokens.entries()) {
    const origin = origins[index]!;
    if (index === 0) parts.push(firstGap(oldTokens, fileTokens, token));
    else {
      const gapOf = gapsOf[index];
      const isKept =
        gapOf !== undefined &&
        token.gap === oldTokens[gapOf]!.gap &&
        roleOf(token) === roleOf(oldTokens[gapOf]!) &&
        roleOf(newTokens[index - 1]!) === roleOf(oldTokens[gapOf - 1]!);
      if (isKept) parts.push(fileTokens[gapOf]!.gap);
      else parts.push(styledGap(newTokens[index - 1]!, token, styles));
    }
    const isSame = origin !== -1 && oldTokens[origin]!.raw === token.raw;
    parts.push(isSame ? fileTokens[origin]!.raw : styledToken(newTokens, index, styles));
  }
  return parts.join("") + tailOf(file, fileTokens);
}

/**
 * Returns for each token the old token whose preceding gap it takes over: where two tokens are adjacent in both lines, and
 * at both ends of a run of tokens that replaces another run.
 */
function gapOrigins(origins: readonly number[], oldCount: number): (number | undefined)[] {
  const nextKept = new Array<number>(origins.length + 1).fill(oldCount);
  for (let index = origins.length - 1; index >= 0; index -= 1) {
    nextKept[index] = origins[index] === -1 ? nextKept[index + 1]! : origins[index]!;
  }
  let lastKept = -1;
  return origins.map((here, index) => {
    const before = index === 0 ? -1 : origins[index - 1]!;
    const previous = lastKept;
    if (here !== -1) lastKept = here;
    if (before !== -1 && here !== -1) return here === before + 1 ? here : undefined;
    if (before !== -1) return nextKept[index]! > before + 1 ? before + 1 : undefined;
    return here > previous + 1 ? here : undefined;
  });
}

/** Spells a line without a counterpart in the old text like its neighbours in the file. */
export function spellLine(body: string, styles: Styles): string {
  const tokens = tokensOf(body);
  const gaps = tokens.slice(1).map(({ gap }) => gap);
  if (styles.some(({ hasColumns }) => hasColumns) && gaps.includes(" ") && gaps.every((gap) => gap.length < 2)) {
    throw new Unclear(COLUMNS);
  }
  const spelled = tokens.map((token, index) => {
    const gap = index === 0 ? token.gap : styledGap(tokens[index - 1]!, token, styles);
    return gap + styledToken(tokens, index, styles);
  });
  return spelled.join("") + tailOf(body, tokens);
}

/**
 * Keeps invisible characters at the beginning of a line, because a model cannot see them and did not mean to remove them.
 */
function firstGap(old: readonly Token[], file: readonly Token[], fresh: Token): string {
  return fresh.gap === old[0]?.gap ? (file[0]?.gap ?? "") : fresh.gap;
}

function tailOf(body: string, tokens: readonly Token[]): string {
  return body.slice(tokens.reduce((length, { gap, raw }) => length + gap.length + raw.length, 0));
}

function styledGap(left: Token, right: Token, styles: Styles): string {
  for (const style of styles) {
    const gap = style.gap(left, right);
    if (gap === undefined) continue;
    // Several spaces align columns, and the column for different text is unknown.
    if (gap !== right.gap && /[ \t]{2}/.test(gap) && !isCommentGap({ ...right, gap })) throw new Unclear(COLUMNS);
    return gap;
  }
  if (styles.some((style) => style.isDoubtful(left, right))) throw new Unclear("how to space it");
  return right.gap;
}

function styledToken(tokens: readonly Token[], index: number, styles: Styles): string {
  const token = tokens[index]!;
  if (isWord(token)) return styles.reduce((raw, style) => style.word(raw), token.raw);
  for (const style of styles) {
    const sign = style.sign(tokens, index);
    if (sign !== undefined) return sign;
  }
  return token.raw;
}

/** Throws Unclear if the edit replaces only some of the tokens that are one character in the file. */
function refuseHalfCharacters(file: readonly Token[], origins: readonly number[]): void {
  const kept = new Set(origins);
  for (const [index, { isGlued }] of file.entries()) {
    if (isGlued && kept.has(index) !== kept.has(index - 1)) throw new Unclear("it would replace half of a character");
  }
}
