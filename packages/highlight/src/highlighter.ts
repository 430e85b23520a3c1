import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import clojure from "highlight.js/lib/languages/clojure";
import cmake from "highlight.js/lib/languages/cmake";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import dart from "highlight.js/lib/languages/dart";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import elixir from "highlight.js/lib/languages/elixir";
import erlang from "highlight.js/lib/languages/erlang";
import go from "highlight.js/lib/languages/go";
import graphql from "highlight.js/lib/languages/graphql";
import groovy from "highlight.js/lib/languages/groovy";
import haskell from "highlight.js/lib/languages/haskell";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import julia from "highlight.js/lib/languages/julia";
import kotlin from "highlight.js/lib/languages/kotlin";
import latex from "highlight.js/lib/languages/latex";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import nginx from "highlight.js/lib/languages/nginx";
import nix from "highlight.js/lib/languages/nix";
import objectivec from "highlight.js/lib/languages/objectivec";
import ocaml from "highlight.js/lib/languages/ocaml";
import perl from "highlight.js/lib/languages/perl";
import php from "highlight.js/lib/languages/php";
import powershell from "highlight.js/lib/languages/powershell";
import protobuf from "highlight.js/lib/languages/protobuf";
import python from "highlight.js/lib/languages/python";
import r from "highlight.js/lib/languages/r";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scala from "highlight.js/lib/languages/scala";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import { type LanguageName, languageByName } from "./languages.ts";
import type { Highlight, Token, TokenKind } from "./tokens.ts";

type Lowlight = ReturnType<typeof createLowlight>;
type Tree = ReturnType<Lowlight["highlight"]>;
type Node = Tree["children"][number];
type Grammar = Parameters<Lowlight["register"]>[1];

const GRAMMARS: Record<LanguageName, Grammar> = {
  bash,
  c,
  clojure,
  cmake,
  cpp,
  csharp,
  css,
  dart,
  diff,
  dockerfile,
  elixir,
  erlang,
  go,
  graphql,
  groovy,
  haskell,
  http,
  ini,
  java,
  javascript,
  json,
  julia,
  kotlin,
  latex,
  lua,
  makefile,
  markdown,
  nginx,
  nix,
  objectivec,
  ocaml,
  perl,
  php,
  powershell,
  protobuf,
  python,
  r,
  ruby,
  rust,
  scala,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};

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

/** Splits code into tokens. Very long code and code in an unlisted language is one plain token. */
export const highlight: Highlight = (code, languageName) => {
  const language = languageByName(languageName);
  if (language === undefined || code.length > LONGEST || code.includes(CUT)) return [[undefined, code]];
  register(language);
  return tokensOf(lowlight.highlight(windowed(language), withCuts(code)));
};

/** Builds a grammar when its language is first used. */
function register(language: LanguageName): void {
  if (lowlight.registered(language)) return;
  lowlight.register(language, GRAMMARS[language]);
  // As an inner language, the grammar reads one window at a time and continues in the state in which the last one ended.
  lowlight.register(windowed(language), () => ({ subLanguage: language, contains: [{ begin: CUT }] }));
  for (const inner of INNER[language] ?? []) register(inner);
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
