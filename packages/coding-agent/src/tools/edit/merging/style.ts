import type { Token } from "./tokens.ts";
import { Unclear } from "./unclear.ts";

/** What a sign stands beside. */
export type Side = "space" | "word" | "sign";

/** How the file spells what the old text spells in another way, gathered from the lines that both have. */
export interface Style {
  /** The space between two tokens, as the file has it; undefined if the old text has no such pair. */
  gap(left: Token, right: Token): string | undefined;
  /** A sign as the file has it; undefined if the old text does not have it in such surroundings. */
  sign(tokens: readonly Token[], index: number): string | undefined;
  word(raw: string): string;
  /** The old text has such a gap beside such a sign where the file has another one. */
  isDoubtful(left: Token, right: Token): boolean;
  /** The file aligns with several spaces where the old text has a single one. */
  hasColumns: boolean;
}

type Counts = Map<string, Map<string, number>>;

/** Of those below: the very pair, what follows a comma, and a strange gap. */
const SURE_KEYS = "=<*";
/** Habits that the file keeps to less often than this are none. */
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
      // An operator may also be a bracket, a sign of a number or part of a string: what is true of one is not of all.
      const isSure = gap === right.gap || SURE_KEYS.includes(key[0]!) || (!isOperator(left) && !isOperator(right));
      if (!isSure) throw new Unclear("how it is spaced");
      return gap;
    },
    sign(tokens, index) {
      const seen = signs.get(signKey(tokens, index));
      return seen ? habit(seen) : artefacts(tokens[index]!);
    },
    word: (raw) => (form ? raw.normalize(form) : raw),
    hasColumns: pairs.some(([old, file]) => old.some(({ gap }, at) => gap === " " && /^ {2,}$/.test(file[at]!.gap))),
    isDoubtful: (left, right) => besideSigns(left, right).some((key) => doubtful.has(key)),
  };
}

/**
 * Typographic signs that the file does not have although the old text does: the model writes them, wherever they stand.
 * Who writes one kind of such quotes writes the other as well.
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

/** The very pair of tokens first (`if (` is not `call(`), then pairs of their kind, then any pair if the gap is a strange one. */
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

/** A gap as seen from the sign that it belongs to: an operator, or else a bracket, where both ends are alike. */
function besideSigns(left: Token, right: Token): string[] {
  const keys: string[] = [];
  if (isOperator(left)) keys.push(`${left.normal}_${right.gap}`);
  if (isOperator(right)) keys.push(`_${right.normal}${right.gap}`);
  if (keys.length > 0) return keys;
  const bracket = "([{".includes(left.normal) ? left.normal : OPENING[right.normal];
  return bracket ? [`${bracket}_${right.gap}`] : [];
}

function kindOf({ normal }: Token): string {
  if (/^\p{N}+$/u.test(normal)) return "0";
  return isWordText(normal) ? "a" : normal;
}

/** What a token is for the space beside it. */
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

export function sideBefore(tokens: readonly Token[], index: number): Side {
  const before = tokens[index - 1];
  return !before || tokens[index]!.gap !== "" ? "space" : sideOf(before);
}

export function sideAfter(tokens: readonly Token[], index: number): Side {
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

/** What the file has for one character of the old text that stands for several tokens. */
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
  throw new Unclear("the file has several ways to write it");
}
