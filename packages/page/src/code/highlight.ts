import { type Language, languageByName } from "./languages.ts";

export type TokenKind = "comment" | "string" | "number" | "keyword" | "constant" | "structure" | "type" | "call";
export type Token = readonly [kind: TokenKind | undefined, text: string];

/** Longer code is not read, and not coloured. */
const LONGEST = 100_000;

/** The texts of the tokens together are the code, unchanged. */
export function highlight(code: string, languageName: string): Token[] {
  const language = code.length <= LONGEST ? languageByName(languageName) : undefined;
  if (!language) return [[undefined, code]];
  const scanner = scannerOf(language);
  const tokens: Token[] = [];
  let at = 0;
  for (const match of code.matchAll(scanner.pattern)) {
    const kind = kindOf(match, scanner, code);
    if (kind === undefined) continue;
    if (match.index > at) tokens.push([undefined, code.slice(at, match.index)]);
    tokens.push([kind, match[0]]);
    at = match.index + match[0].length;
  }
  if (at < code.length) tokens.push([undefined, code.slice(at)]);
  return tokens;
}

interface Scanner {
  pattern: RegExp;
  words: ReadonlyMap<string, TokenKind>;
  language: Language;
}

const scanners = new Map<Language, Scanner>();

function scannerOf(language: Language): Scanner {
  const known = scanners.get(language);
  if (known) return known;
  const { comments, structure, strings } = language;
  const parts = [
    group("comment", comments),
    group("structure", structure),
    group("string", strings),
    String.raw`(?<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\w{0,4}\b)`,
    String.raw`(?<word>[A-Za-z_$][\w$]*)`,
  ];
  const scanner = {
    pattern: new RegExp(parts.filter((part) => part !== "").join("|"), "gm"),
    words: wordKinds(language),
    language,
  };
  scanners.set(language, scanner);
  return scanner;
}

function group(name: TokenKind, alternatives: readonly string[] | undefined): string {
  return alternatives ? `(?<${name}>${alternatives.join("|")})` : "";
}

function wordKinds({ keywords = "", constants = "" }: Language): Map<string, TokenKind> {
  const of = (words: string, kind: TokenKind) => words.split(" ").map((word) => [word, kind] as const);
  return new Map([...of(keywords, "keyword"), ...of(constants, "constant")]);
}

function kindOf(match: RegExpExecArray, { words, language }: Scanner, code: string): TokenKind | undefined {
  const groups = match.groups as Partial<Record<TokenKind | "word", string>>;
  const { word } = groups;
  if (word === undefined) {
    return (["comment", "structure", "string", "number"] as const).find((kind) => groups[kind] !== undefined);
  }
  const known = words.get(language.ignoresCase ? word.toLowerCase() : word);
  if (known) return known;
  if (!language.isCode) return undefined;
  if (code[match.index + word.length] === "(") return "call";
  return /^[A-Z][A-Za-z0-9]*[a-z]/.test(word) ? "type" : undefined;
}
