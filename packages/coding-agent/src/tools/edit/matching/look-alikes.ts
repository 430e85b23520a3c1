/** Combining marks go with what they stand on, and the parts of a Hangul syllable together: both may become one character. */
const INSEPARABLE = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|\P{M}\p{M}*|\p{M}+/gu;

const SINGLE_QUOTES = /[\u2018-\u201b\u2032\u02bc]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f\u2033]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a model is not shown it cannot write
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200c\u2060\ufeff]|\u200d|\ufe0e|\ufe0f/g;

/** Characters that models mistake for each other as one of them, and without those that cannot be seen. */
export function foldCharacters(text: string): string {
  return text
    .replace(DOUBLE_QUOTES, '"') // before NFKC, which makes two of some
    .normalize("NFKC")
    .replace(SINGLE_QUOTES, "'")
    .replace(DASHES, "-")
    .replace(SPACES, " ")
    .replace(UNSEEN, "");
}

/** The smallest parts of a text that can be folded on their own. */
export function* inseparableParts(text: string): Generator<{ part: string; start: number }> {
  for (const match of text.matchAll(INSEPARABLE)) yield { part: match[0], start: match.index };
}
