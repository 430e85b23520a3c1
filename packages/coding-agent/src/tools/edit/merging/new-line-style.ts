import { isWordCharacter } from "../matching/normal-line.ts";
import { type Side, type Style, sideAfter, sideBefore } from "./style.ts";

export interface Surroundings {
  text: string;
  /** The place of the edit. */
  start: number;
  end: number;
  /** Prose is written with typographic signs, code is not. */
  isProse: boolean;
}

/**
 * The style of a place, for lines that are new there. Typographic signs of a comment or a string are not for code: such a
 * line gets them only where the file does not have the plain ones in the same surroundings, or is prose.
 */
export function styleOfNewLines(style: Style, { text, start, end, isProse }: Surroundings): Style {
  return {
    ...style,
    sign(tokens, index) {
      const sign = style.sign(tokens, index);
      const { raw } = tokens[index]!;
      if (sign === undefined || sign === raw || isPlain(sign)) return sign;
      if (isProse) return isInBackticks(tokens, index) ? raw : sign;
      const isUsed = (part: string) => hasSign(part, raw, sideBefore(tokens, index), sideAfter(tokens, index));
      return isUsed(text.slice(0, start)) || isUsed(text.slice(end)) ? raw : sign;
    },
  };
}

function isPlain(sign: string): boolean {
  return /^[\x20-\x7e]*$/.test(sign);
}

function isInBackticks(tokens: readonly { raw: string }[], index: number): boolean {
  return tokens.slice(0, index).filter(({ raw }) => raw === "`").length % 2 === 1;
}

function hasSign(text: string, sign: string, before: Side, after: Side): boolean {
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) {
    if (sideOf(text[at - 1]) === before && sideOf(text[at + sign.length]) === after) return true;
  }
  return false;
}

function sideOf(character: string | undefined): Side {
  if (character === undefined || /\s/.test(character)) return "space";
  return isWordCharacter(character) ? "word" : "sign";
}
