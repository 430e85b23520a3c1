import hljs from "highlight.js/lib/core";
import { type LanguageName, languageByName } from "./languages.ts";
import { CUT, TokenEmitter } from "./token-emitter.ts";
import type { Highlight, HighlightStart, Token } from "./tokens.ts";

export type Grammar = Parameters<typeof hljs.registerLanguage>[1];

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

/** Languages whose code embeds other languages. Without the inner language's grammar, that part stays plain. */
const INNER: Partial<Record<LanguageName, readonly LanguageName[]>> = {
  dockerfile: ["bash"],
  javascript: ["css", "graphql", "xml"],
  markdown: ["xml"],
  php: ["xml"],
  shell: ["bash"],
  typescript: ["css", "graphql", "xml"],
  xml: ["css", "javascript"],
};

const engine = hljs.newInstance();
engine.configure({ __emitter: TokenEmitter });

export function addGrammars(added: Grammars): void {
  Object.assign(grammars, added);
}

/** Returns the languages whose grammars must be added before code in this language can be highlighted. */
export function missingGrammars(languageName: string): LanguageName[] {
  const language = languageByName(languageName);
  if (language === undefined || grammars[language] !== undefined) return [];
  return [language, ...(INNER[language] ?? []).filter((inner) => grammars[inner] === undefined)];
}

/** Splits code into tokens. Very long code, and code in a language without a grammar, is one plain token. */
export const highlight: Highlight = (code, languageName) => highlightStart(code, languageName).tokens;

/** The same for the start of longer code. */
export const highlightStart: HighlightStart = (code, languageName) => {
  const language = languageByName(languageName);
  if (language === undefined || !register(language) || code.length > LONGEST || code.includes(CUT))
    return { tokens: [[undefined, code]], isOpen: false };
  if (code.length <= WINDOW) {
    const { tokens, top } = run(language, code);
    return { tokens, isOpen: top?.parent !== undefined };
  }
  const { tokens } = run(windowed(language), withCuts(code));
  return { tokens, isOpen: tokens.at(-1)?.[0] !== undefined };
};

interface Mode {
  parent?: Mode;
}

/** Also returns the mode in which the code ends. The mode of the language itself has no parent. */
function run(language: string, code: string): { tokens: Token[]; top: Mode | undefined } {
  const { _emitter: emitter, _top: top, errorRaised } = engine.highlight(code, { language, ignoreIllegals: true });
  if (errorRaised) throw errorRaised;
  return { tokens: (emitter as TokenEmitter).tokens, top };
}

/** Builds a grammar when its language is first used. Returns false if there is none. */
function register(language: LanguageName): boolean {
  const grammar = grammars[language];
  if (grammar === undefined) return false;
  if (engine.getLanguage(language)) return true;
  engine.registerLanguage(language, grammar);
  // As an inner language, the grammar reads one window at a time and continues in the state in which the last one ended.
  engine.registerLanguage(windowed(language), () => ({
    name: language,
    subLanguage: language,
    contains: [{ begin: CUT }],
  }));
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
