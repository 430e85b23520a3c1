import type { DecodedPair, Decoding, TextPair } from "./decoding.ts";
import { breaksOutsideStrings, hasOwnBreak } from "./string-breaks.ts";

const ALL = /\\([nrt"'`$/\\])/g;
const QUOTES = /(?<!\\)\\(["'`$])/g;
const BREAKS = /(?<!\\)\\([nt])/g;
const MEANINGS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** Everything was escaped once too often: `\\n` is then what a program has in its strings. */
export const allEscapes: Decoding = {
  told: 'with \\n and \\" read as what they stand for',
  decode(pair) {
    // With everything escaped there is no line break left.
    if (!has(pair.oldText, ALL) || pair.oldText.includes("\n")) return undefined;
    const oldText = unescaped(pair.oldText, ALL);
    const { newText } = pair;
    if (!isEscapedLike(pair)) return { oldText, newText };
    if (/(?<!\\)"/.test(newText)) return decodedPair(oldText, breaksOutsideStrings(newText));
    return decodedPair(oldText, hasOwnBreak(newText) ? undefined : unescaped(newText, ALL));
  },
};

/** Line breaks and tabs only; the file has other escapes itself. */
export const escapedBreaks: Decoding = {
  told: "with \\n and \\t read as what they stand for",
  decode(pair) {
    if (!has(pair.oldText, BREAKS)) return undefined;
    const newText = isEscapedLike(pair) ? breaksOutsideStrings(pair.newText) : pair.newText;
    return decodedPair(unescaped(pair.oldText, BREAKS), newText);
  },
};

/** As above, and the file has `\n` in its strings. */
export const escapedBreaksOfLines: Decoding = {
  told: escapedBreaks.told,
  decode(pair) {
    if (!has(pair.oldText, BREAKS)) return undefined;
    const oldText = breaksOutsideStrings(pair.oldText);
    if (oldText === undefined || oldText === pair.oldText) return undefined;
    return decodedPair(oldText, isEscapedLike(pair) ? breaksOutsideStrings(pair.newText) : pair.newText);
  },
};

export const escapedQuotes: Decoding = {
  told: 'with \\" read as a quote',
  decode(pair) {
    if (!has(pair.oldText, QUOTES)) return undefined;
    const newText = isEscapedLike(pair) ? unescaped(pair.newText, QUOTES) : pair.newText;
    return decodedPair(unescaped(pair.oldText, QUOTES), newText);
  },
};

function decodedPair(oldText: string, newText: string | undefined): DecodedPair {
  return newText === undefined ? { oldText } : { oldText, newText };
}

function has(text: string, kind: RegExp): boolean {
  return text.search(kind) !== -1;
}

function unescaped(text: string, kind: RegExp): string {
  return text.replace(kind, (_, letter: string) => MEANINGS[letter] ?? letter).replaceAll("\r\n", "\n");
}

const KINDS: readonly { escaped: string; plain: RegExp }[] = [
  { escaped: "\\n", plain: /\n/ },
  { escaped: '\\"', plain: /(?<!\\)"/ },
  { escaped: "\\'", plain: /(?<!\\)'/ },
];

/** What the old text has only in escaped form, the new text must have only so as well; otherwise it was written as it is. */
function isEscapedLike({ oldText, newText }: TextPair): boolean {
  return KINDS.every(({ escaped, plain }) => {
    const isOnlyEscaped = oldText.includes(escaped) && !plain.test(oldText);
    return !isOnlyEscaped || !plain.test(newText);
  });
}
