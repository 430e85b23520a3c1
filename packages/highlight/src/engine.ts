import { createLowlight } from "lowlight";
import { type LanguageName, languageByName } from "./languages.ts";
import type { Highlight, Token, TokenKind } from "./tokens.ts";

type Lowlight = ReturnType<typeof createLowlight>;
type Tree = ReturnType<Lowlight["highlight"]>;
type Node = Tree["children"][number];
export type Grammar = Parameters<Lowlight["register"]>[1];

/** By language; others may be added later. */
export type Grammars = Partial<Record<LanguageName, Grammar>>;

const grammars: Grammars = {};

/** Longer code stays plain. */
const LONGEST = 50_000;

/**
 * Some patterns of the grammars need quadratic or cubic time on hostile code: 20 KB of `a b` take 14 seconds as C. They
 * never see more than a window of this many characters, so the time grows linearly with the code.
 */
const WINDOW = 1_000;
/** Marks the end of a window. No text contains it: Unicode reserves it as a noncharacter. */
const CUT = "\uffff";

/** The scopes of highlight.js, and our kind for each. Unlisted scopes inherit the enclosing kind. */
const KINDS: Record<string, TokenKind | "plain"> = {
  addition: "added",
  attr: "structure",
  attribute: "structure",
  built_in: "type",
  bullet: "constant",
  "char.escape": "string",
  code: "string",
  comment: "comment",
  deletion: "removed",
  doctag: "comment",
  formula: "string",
  function: "plain",
  keyword: "keyword",
  link: "string",
  literal: "constant",
  meta: "structure",
  name: "structure",
  number: "number",
  params: "plain",
  property: "plain",
  quote: "comment",
  regexp: "string",
  section: "structure",
  "selector-attr": "structure",
  "selector-class": "structure",
  "selector-id": "structure",
  "selector-pseudo": "structure",
  "selector-tag": "keyword",
  string: "string",
  subst: "plain",
  symbol: "constant",
  "template-tag": "structure",
  "template-variable": "structure",
  title: "call",
  "title.class": "type",
  "title.function": "call",
  type: "type",
  variable: "structure",
  "variable.constant": "constant",
  "variable.language": "keyword",
};

/** Languages whose code embeds others: without the grammar of the inner language, that part stays plain. */
const INNER: Partial<Record<LanguageName, readonly LanguageName[]>> = {
  dockerfile: ["bash"],
  javascript: ["css", "graphql", "xml"],
  markdown: ["xml"],
  php: ["xml"],
  shell: ["bash"],
  typescript: ["css", "graphql", "xml"],
  xml: ["css", "javascript"],
};

const lowlight = createLowlight();

export function addGrammars(added: Grammars): void {
  Object.assign(grammars, added);
}

/** Returns the languages whose grammars have to be added before code in this language can be highlighted. */
export function missingGrammars(languageName: string): LanguageName[] {
  const language = languageByName(languageName);
  if (language === undefined || grammars[language] !== undefined) return [];
  return [language, ...(INNER[language] ?? []).filter((inner) => grammars[inner] === undefined)];
}

/** Splits code into tokens. Very long code, and code in a language without a grammar, is one plain token. */
export const highlight: Highlight = (code, languageName) => {
  const language = languageByName(languageName);
  if (language === undefined || !register(language) || code.length > LONGEST || code.includes(CUT))
    return [[undefined, code]];
  return tokensOf(lowlight.highlight(windowed(language), withCuts(code)));
};

/** Builds a grammar when its language is first used. Returns false if there is none. */
function register(language: LanguageName): boolean {
  const grammar = grammars[language];
  if (grammar === undefined) return false;
  if (lowlight.registered(language)) return true;
  lowlight.register(language, grammar);
  // As an inner language, the grammar reads one window at a time and continues in the state in which the last one ended.
  lowlight.register(windowed(language), () => ({ subLanguage: language, contains: [{ begin: CUT }] }));
  for (const inner of INNER[language] ?? []) register(inner);
  return true;
}

function windowed(language: LanguageName): string {
  return `windowed-${language}`;
}

/** Cuts at the end of a line if possible, because few patterns span lines. */
function withCuts(code: string): string {
  const windows: string[] = [];
  for (let at = 0; at < code.length; ) {
    const lineEnd = code.lastIndexOf("\n", at + WINDOW - 1) + 1;
    const end = lineEnd > at ? lineEnd : at + WINDOW;
    windows.push(code.slice(at, end));
    at = end;
  }
  return windows.join(CUT);
}

/** Traverses the tree with an explicit stack: hostile code nests deeper than the call stack. */
function tokensOf(tree: Tree): Token[] {
  const tokens: Token[] = [];
  const waiting: { node: Node; outer: TokenKind | undefined }[] = [];
  const enter = (nodes: readonly Node[], outer: TokenKind | undefined) => {
    for (const node of nodes.toReversed()) waiting.push({ node, outer });
  };
  enter(tree.children, undefined);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, outer } = next;
    if (node.type === "text") addToken(tokens, outer, node.value.replaceAll(CUT, ""));
    else if (node.type === "element") enter(node.children, kindOf(node, outer));
  }
  return tokens;
}

/** Adjacent tokens of one kind are merged, so that a page needs fewer elements. */
function addToken(tokens: Token[], kind: TokenKind | undefined, text: string): void {
  if (text === "") return;
  const last = tokens.at(-1);
  if (last && last[0] === kind) tokens[tokens.length - 1] = [kind, last[1] + text];
  else tokens.push([kind, text]);
}

/** The classes of `title.function` are `hljs-title` and `function_`. */
function kindOf(node: Extract<Node, { type: "element" }>, outer: TokenKind | undefined): TokenKind | undefined {
  const classes = Array.isArray(node.properties.className) ? node.properties.className.map(String) : [];
  const [scope = "", ...parts] = classes.map((name) => name.replace(/^hljs-|_+$/g, ""));
  const kind = KINDS[[scope, ...parts].join(".")] ?? KINDS[scope] ?? outer;
  if (kind === "plain") return undefined;
  // Some grammars report their literals as keywords.
  return kind === "keyword" && outer === "constant" ? outer : kind;
}
