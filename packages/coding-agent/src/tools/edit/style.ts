import { isWordCharacter, mapNormal } from "./normal-line.ts";

/** The neighbours of a character. */
type Side = "space" | "word" | "sign";

/** The file's way of writing what the old text writes differently, learned from the lines that both have. */
export interface Style {
  /** Returns the file's spacing between two tokens, or undefined if the old text has no such pair. */
  gap(left: Token, right: Token): string | undefined;
  /** Returns the file's form of a sign, or undefined if the old text lacks it in such surroundings. */
  sign(tokens: readonly Token[], index: number): string | undefined;
  word(raw: string): string;
  /** Whether the file somewhere has a different gap next to such a character. */
  isDoubtful(left: Token, right: Token): boolean;
  /** Whether the file aligns with several spaces where the old text has one. */
  hasColumns: boolean;
}

type Counts = Map<string, Map<string, number>>;

/** The reliable keys among those below: the exact pair, a gap after a comma, and an unusual gap. */
const SURE_KEYS = "=<*";
/** A form is the file's style only if the file uses it at least this often. */
const CLEAR_SHARE = 0.75;

export function styleOf(pairs: readonly (readonly [old: readonly Token[], file: readonly Token[]])[]): Style {
  const gaps: Counts = new Map();
  const signs: Counts = new Map();
  const forms = new Set<string>();
  const doubtful = new Set<string>();
  for (const [old, file] of pairs) {
    for (const [index, token] of old.entries()) {
      const inFile = file[index]!;
      if (index > 0) for (const key of gapKeys(old[index - 1]!, token)) count(gaps, key, inFile.gap);
      if (index > 0 && token.gap !== inFile.gap)
        for (const key of besideSigns(old[index - 1]!, token)) doubtful.add(key);
      if (isWord(token)) forms.add(formBetween(token.raw, inFile.raw));
      else if (!token.isGlued && !inFile.isGlued) count(signs, signKey(old, index), rawOfGroup(old, file, index));
    }
  }
  const form = soleForm(forms);
  const artefacts = artefactsOf(pairs);
  return {
    gap(left, right) {
      const key = gapKeys(left, right).find((candidate) => gaps.has(candidate));
      if (key === undefined) return undefined;
      const gap = habit(gaps.get(key)!);
      // An operator may also be a bracket, the sign of a number or part of a string, so one use says little about others.
      const isSure = gap === right.gap || SURE_KEYS.includes(key[0]!) || (!isOperator(left) && !isOperator(right));
      if (!isSure) throw new Unclear("how it is spaced");
      return gap;
    },
    sign(tokens, index) {
      const seen = signs.get(signKey(tokens, index));
      return seen ? habit(seen) : artefacts(tokens[index]!);
    },
    word: (raw) => (form ? raw.normalize(form) : raw),
    hasColumns: pairs.some(([old, file]) =>
      old.some(({ gap }, at) => gap === " " && /^ {2,}$/.test(file[at]!.gap) && !isCommentGap(file[at]!)),
    ),
    isDoubtful: (left, right) => besideSigns(left, right).some((key) => doubtful.has(key)),
  };
}

/**
 * Finds typographic signs that the old text has and the file lacks, because the model then writes them everywhere. A model
 * that writes one kind of typographic quotes writes the other as well.
 */
function artefactsOf(pairs: readonly (readonly [old: readonly Token[], file: readonly Token[]])[]) {
  const invented = new Set<string>();
  const present = new Set<string>();
  for (const [old, file] of pairs) {
    for (const [index, { raw, normal }] of old.entries()) {
      if (raw.length !== 1 || raw === normal) continue;
      (file[index]!.raw === normal ? invented : present).add(normal);
    }
  }
  const isQuote = (sign: string) => sign === '"' || sign === "'";
  const areQuotesInvented = [...invented].some(isQuote) && ![...present].some(isQuote);
  return ({ raw, normal }: Token): string | undefined => {
    if (raw.length !== 1 || raw === normal || present.has(normal)) return undefined;
    return invented.has(normal) || (isQuote(normal) && areQuotesInvented) ? normal : undefined;
  };
}

/**
 * Yields the keys of a gap: the exact pair of tokens first (`if (` is not `call(`), then pairs of its kind, then any pair
 * with an unusual gap.
 */
function gapKeys(left: Token, right: Token): string[] {
  const { gap } = right;
  const keys = [
    `=${left.normal} ${right.normal} ${gap}`,
    `~${kindOf(left)} ${kindOf(right)} ${gap}`,
    `-${roleOf(left)} ${roleOf(right)} ${gap}`,
  ];
  if (left.normal === "," || left.normal === ";") keys.push(`<${left.normal} ${gap}`);
  return gap === "" || gap === " " ? keys : [...keys, `*${gap}`];
}

const OPENING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Yields keys by the sign next to the gap: an operator, or else a bracket, where both sides share one key. */
function besideSigns(left: Token, right: Token): string[] {
  const keys: string[] = [];
  if (isOperator(left)) keys.push(`${left.normal}_${right.gap}`);
  if (isOperator(right)) keys.push(`_${right.normal}${right.gap}`);
  if (keys.length > 0) return keys;
  const bracket = "([{".includes(left.normal) ? left.normal : OPENING[right.normal];
  return bracket ? [`${bracket}_${right.gap}`] : [];
}

/** Two spaces before a comment are a convention, as in Python, not an alignment. */
export function isCommentGap({ gap, normal }: Token): boolean {
  return gap === "  " && normal === "#";
}

function kindOf({ normal }: Token): string {
  if (/^\p{N}+$/u.test(normal)) return "0";
  return isWordText(normal) ? "a" : normal;
}

/** Returns the role of a token, which determines the space next to it. */
export function roleOf(token: Token): string {
  if (isWord(token)) return "operand";
  return isOperator(token) ? "operator" : token.normal;
}

function isOperator({ normal }: Token): boolean {
  return "=<>+-*/%&|^".includes(normal);
}

function signKey(tokens: readonly Token[], index: number): string {
  return `${sideBefore(tokens, index)}${tokens[index]!.raw}${sideAfter(tokens, index)}`;
}

function sideBefore(tokens: readonly Token[], index: number): Side {
  const before = tokens[index - 1];
  return !before || tokens[index]!.gap !== "" ? "space" : sideOf(before);
}

function sideAfter(tokens: readonly Token[], index: number): Side {
  const after = tokens[index + 1];
  return after?.gap === "" ? sideOf(after) : "space";
}

function sideOf(token: Token): Side {
  return isWord(token) ? "word" : "sign";
}

export function isWord({ normal }: Token): boolean {
  return isWordText(normal);
}

function isWordText(text: string): boolean {
  return /^[\p{L}\p{N}\p{M}_]/u.test(text);
}

/** Returns the file's text for one character of the old text that yields several tokens. */
function rawOfGroup(old: readonly Token[], file: readonly Token[], index: number): string {
  let raw = file[index]!.raw;
  for (let next = index + 1; old[next]?.isGlued; next += 1) raw += file[next]!.raw;
  return raw;
}

function formBetween(old: string, file: string): "NFC" | "NFD" | "same" | "none" {
  if (old !== file && old.normalize("NFD") === file) return "NFD";
  if (old !== file && old.normalize("NFC") === file) return "NFC";
  return old.normalize("NFC") === old.normalize("NFD") ? "none" : "same";
}

function soleForm(forms: ReadonlySet<string>): "NFC" | "NFD" | undefined {
  if (forms.has("same")) return undefined;
  if (forms.has("NFC") === forms.has("NFD")) return undefined;
  return forms.has("NFC") ? "NFC" : "NFD";
}

function count(counts: Counts, key: string, value: string): void {
  const values = counts.get(key) ?? new Map<string, number>();
  counts.set(key, values.set(value, (values.get(value) ?? 0) + 1));
}

function habit(values: ReadonlyMap<string, number>): string {
  const total = [...values.values()].reduce((sum, times) => sum + times, 0);
  for (const [value, times] of values) if (times >= total * CLEAR_SHARE) return value;
  throw new Unclear("the file writes it in several ways");
}

/** A word, a number or a single punctuation mark of a line. */
export interface Token {
  normal: string;
  /** The original characters. If one character, like `…`, becomes several tokens, only the first token has it. */
  raw: string;
  /** The characters between the previous token and this one. */
  gap: string;
  /** Whether it belongs to the same character as the previous token. */
  isGlued: boolean;
}

/** Splits a line into tokens. Lines with the same normal form have the same tokens. */
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

interface Surroundings {
  text: string;
  /** The place of the edit. */
  start: number;
  end: number;
  /** Whether the file is prose, which has typographic signs, unlike code. */
  isProse: boolean;
}

/**
 * Applies the style of a place to new lines. Typographic signs from a comment or string do not belong in code, so a new line
 * gets them only if the file is prose or never has the plain sign in the same surroundings.
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
    if (sideAt(text[at - 1]) === before && sideAt(text[at + sign.length]) === after) return true;
  }
  return false;
}

function sideAt(character: string | undefined): Side {
  if (character === undefined || /\s/.test(character)) return "space";
  return isWordCharacter(character) ? "word" : "sign";
}

/** Thrown if the place is known, but not what the new text would look like in the file's style. */
export class Unclear extends Error {}
