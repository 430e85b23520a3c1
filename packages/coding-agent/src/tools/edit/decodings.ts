interface TextPair {
  oldText: string;
  newText: string;
}

interface DecodedPair {
  oldText: string;
  /** Undefined if the new text can be decoded in more than one way. */
  newText?: string;
}

/** Reverses one way in which models garble both strings of an edit. */
interface Decoding {
  /** Describes the decoding in the result, for example "without line numbers". */
  matchNote: string;
  /** Whether the old text starts at the beginning of a line. */
  isWholeLines?: boolean;
  /** Returns the decoded strings, or undefined if the old text shows no sign of this mistake. */
  decode(pair: TextPair): DecodedPair | undefined;
}

/** Line numbers in listings: `12│`, `12:`, `12→`, `12|`, `12` and a tab, `a.ts:12:`, and `12 ` as in results of `edit`. */
const PREFIXES: readonly RegExp[] = [
  /^[ \t]*(\d{1,7})[ ]?[│┃|→]/,
  /^[ \t]*[Ll]?(\d{1,7})[:-]/,
  /^[ ]*(\d{1,7})\t/,
  /^[^\s:]+\.[^\s:]+:(\d{1,7})[:-]/,
  /^[ +-]?[ ]*(\d{1,7})(?: |$)/,
];

const lineNumbers: Decoding = {
  matchNote: "without its line numbers",
  isWholeLines: true,
  decode({ oldText, newText }) {
    for (const prefix of PREFIXES) {
      const numbers = numbersOf(oldText, prefix);
      if (!numbers) continue;
      return { oldText: withoutNumbers(oldText, prefix), newText: newTextWithout(newText, prefix, numbers) };
    }
    return undefined;
  },
};

interface Range {
  first: number;
  last: number;
}

/** Returns the numbers if all lines are numbered in sequence. Empty lines may lack a number. */
function numbersOf(text: string, prefix: RegExp): Range | undefined {
  let first: number | undefined;
  let next: number | undefined;
  for (const line of text.split("\n")) {
    const number = prefix.exec(line)?.[1];
    if (number === undefined) {
      if (line.trim() !== "") return undefined;
      if (next !== undefined) next += 1;
      continue;
    }
    const value = Number(number);
    if (next !== undefined && value !== next) return undefined;
    first ??= value;
    next = value + 1;
  }
  return first === undefined || next === undefined ? undefined : { first, last: next - 1 };
}

function withoutNumbers(text: string, prefix: RegExp): string {
  return text
    .split("\n")
    .map((line) => line.replace(prefix, ""))
    .join("\n");
}

/**
 * Removes numbers close to those of the old text. Added lines may have none, and a number far from them is part of the line.
 */
function newTextWithout(text: string, prefix: RegExp, { first, last }: Range): string {
  const lines = text.split("\n");
  return lines
    .map((line) => {
      const number = Number(prefix.exec(line)?.[1] ?? -1);
      return number >= first && number <= last + lines.length ? line.replace(prefix, "") : line;
    })
    .join("\n");
}

const SIGNS: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#34;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
};

const entities = decodingOf({ ...SIGNS, "&amp;": "&" });

/** HTML entities except `&amp;`, for files that contain `&amp;` themselves. */
const entitiesButAmpersands = decodingOf(SIGNS);

function decodingOf(signs: Readonly<Record<string, string>>): Decoding {
  const entity = new RegExp(Object.keys(signs).join("|"), "gi");
  const signOf = (name: string) => signs[name.toLowerCase()]!;
  const decode = (text: string) => text.replace(entity, signOf);
  return {
    matchNote: "with HTML entities decoded",
    decode({ oldText, newText }) {
      if (oldText.search(entity) === -1) return undefined;
      const decodedOld = decode(oldText);
      // If the new text has a character both plain and as an entity, the entity may be deliberate.
      const kinds = (newText.match(entity) ?? []).map(signOf);
      const rest = newText.replace(entity, "");
      if (kinds.some((sign) => rest.includes(sign))) return { oldText: decodedOld };
      return { oldText: decodedOld, newText: decode(newText) };
    },
  };
}

/** `--` between words, with spaces on both sides or on neither, so that it is neither an option nor an operator. */
const DOUBLE_HYPHEN = /(?<=[\p{L}\p{N}])--(?=[\p{L}\p{N}])|(?<= )--(?= )/gu;

const doubleHyphens: Decoding = {
  matchNote: "with -- read as a dash",
  decode({ oldText, newText }) {
    if (oldText.search(DOUBLE_HYPHEN) === -1) return undefined;
    return { oldText: oldText.replace(DOUBLE_HYPHEN, "—"), newText: newText.replace(DOUBLE_HYPHEN, "—") };
  },
};

const ALL = /\\([nrt"'`$/\\])/g;
const QUOTES = /(?<!\\)\\(["'`$])/g;
const BREAKS = /(?<!\\)\\([nt])/g;
const MEANINGS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** The whole text was escaped once too often, so `\\n` is the `\n` of a string in the program. */
const allEscapes: Decoding = {
  matchNote: 'with \\n and \\" unescaped',
  decode(pair) {
    // If everything is escaped, no real line break is left.
    if (!has(pair.oldText, ALL) || pair.oldText.includes("\n")) return undefined;
    const oldText = unescaped(pair.oldText, ALL);
    const { newText } = pair;
    if (!isEscapedLike(pair)) return { oldText, newText };
    if (/(?<!\\)"/.test(newText)) return decodedPair(oldText, breaksOutsideStrings(newText));
    return decodedPair(oldText, hasOwnBreak(newText) ? undefined : unescaped(newText, ALL));
  },
};

/** Decodes line breaks and tabs only, for files that contain other escapes themselves. */
const escapedBreaks: Decoding = {
  matchNote: "with \\n and \\t unescaped",
  decode(pair) {
    if (!has(pair.oldText, BREAKS)) return undefined;
    const newText = isEscapedLike(pair) ? breaksOutsideStrings(pair.newText) : pair.newText;
    return decodedPair(unescaped(pair.oldText, BREAKS), newText);
  },
};

/** Like `escapedBreaks`, for files that also contain `\n` in strings. */
const escapedBreaksOfLines: Decoding = {
  matchNote: escapedBreaks.matchNote,
  decode(pair) {
    if (!has(pair.oldText, BREAKS)) return undefined;
    const oldText = breaksOutsideStrings(pair.oldText);
    if (oldText === undefined || oldText === pair.oldText) return undefined;
    return decodedPair(oldText, isEscapedLike(pair) ? breaksOutsideStrings(pair.newText) : pair.newText);
  },
};

const escapedQuotes: Decoding = {
  matchNote: 'with \\" read as a quote',
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

/**
 * Whether the new text also escapes everything that the old text escapes. Otherwise the model wrote it without extra
 * escapes.
 */
function isEscapedLike({ oldText, newText }: TextPair): boolean {
  return KINDS.every(({ escaped, plain }) => {
    const isOnlyEscaped = oldText.includes(escaped) && !plain.test(oldText);
    return !isOnlyEscaped || !plain.test(newText);
  });
}

/** Matches quotes and escapes. Triple-quoted strings may span lines. */
const PARTS = /"""|'''|\\\\|\\n|\\t|\n|["'`]/g;

/** Whether the text has `\n` inside a string or regular expression, where it is part of the program. */
function hasOwnBreak(text: string): boolean {
  return walk(text).some(
    ({ part, quote, start }) => part === "\\n" && (quote !== undefined || isInPattern(text, start)),
  );
}

/** Decodes `\n` and `\t` outside strings. Returns undefined if the strings cannot be told apart. */
function breaksOutsideStrings(text: string): string | undefined {
  const pieces: string[] = [];
  let at = 0;
  for (const { part, quote, start } of walk(text)) {
    if ((part !== "\\n" && part !== "\\t") || quote === '"' || quote === "'") continue;
    if (quote === "`") return undefined; // Template literals may contain real line breaks.
    if (isInPattern(text, start)) return undefined;
    pieces.push(text.slice(at, start), part === "\\n" ? "\n" : "\t");
    at = start + part.length;
  }
  return pieces.join("") + text.slice(at);
}

/** Whether the escape ends a regular expression, as in `/a\n/g;`, or begins a negated class, as in `[^\n]`. */
function isInPattern(text: string, start: number): boolean {
  return (
    text.endsWith("[^", start) || /^\\[nt]\$?\/[dgimsuvy]*(?:[.,;)\]}]|\\n|\n|$)/.test(text.slice(start, start + 16))
  );
}

interface Step {
  part: string;
  start: number;
  /** The quote that is open at this part. */
  quote: string | undefined;
}

function walk(text: string): Step[] {
  const steps: Step[] = [];
  let quote: string | undefined;
  for (const { 0: part, index: start } of text.matchAll(PARTS)) {
    steps.push({ part, start, quote });
    const isApostrophe = part === "'" && isLetter(text[start - 1]) && isLetter(text[start + 1]);
    if (part === "\n" || (part === "\\n" && quote === undefined)) quote = undefined;
    else if (part.length === 1 && !isApostrophe) quote = quote === part ? undefined : (quote ?? part);
  }
  return steps;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /\p{L}/u.test(character);
}

/** Tried in this order, first alone and then in pairs. */
const DECODINGS: readonly Decoding[] = [
  lineNumbers,
  allEscapes,
  escapedBreaks,
  escapedBreaksOfLines,
  escapedQuotes,
  entities,
  entitiesButAmpersands,
  doubleHyphens,
];

interface Decoded extends DecodedPair {
  matchNote: string;
  isWholeLines: boolean;
}

export function* decodings(pair: TextPair): Generator<Decoded> {
  const tried = new Set([pair.oldText]);
  const alone: { decoding: Decoding; decoded: TextPair }[] = [];
  for (const decoding of DECODINGS) {
    const decoded = decoding.decode(pair);
    if (!decoded) continue;
    yield { ...decoded, matchNote: decoding.matchNote, isWholeLines: decoding.isWholeLines === true };
    tried.add(decoded.oldText);
    if (decoded.newText !== undefined) alone.push({ decoding, decoded: { ...decoded, newText: decoded.newText } });
  }
  for (const first of alone) {
    for (const second of DECODINGS) {
      const decoded = second === first.decoding ? undefined : second.decode(first.decoded);
      if (!decoded || tried.has(decoded.oldText)) continue;
      tried.add(decoded.oldText);
      const isWholeLines = [first.decoding, second].some((decoding) => decoding.isWholeLines === true);
      yield { ...decoded, matchNote: `${first.decoding.matchNote} and ${second.matchNote}`, isWholeLines };
    }
  }
}
