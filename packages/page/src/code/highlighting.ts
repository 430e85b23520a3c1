import type { GrammarSource, highlight, loadGrammars } from "@pintle/highlight/page-highlighter";

export interface Highlighter {
  highlight: typeof highlight;
  loadGrammars: typeof loadGrammars;
}

let load: (() => Promise<Highlighter>) | undefined;
let source: GrammarSource | undefined;
let highlighter: Highlighter | undefined;

/** Sets where this page has its highlighter, and the grammars that are not part of it. */
export function setHighlighting(given: {
  highlighter: Highlighter | (() => Promise<Highlighter>);
  grammars: GrammarSource;
}): void {
  source = given.grammars;
  if (typeof given.highlighter === "function") load = given.highlighter;
  else highlighter = given.highlighter;
}

/**
 * Splits code into tokens. Returns one plain token until the highlighter and the grammar of the language are loaded.
 */
export const highlighted: typeof highlight = (code, language) =>
  highlighter?.highlight(code, language) ?? [[undefined, code]];

/**
 * Calls the action once the language can be highlighted. Never calls it if the language already can be, or never will.
 */
export function awaitHighlighting(language: string, action: () => void): void {
  const isNew = highlighter === undefined;
  ready(language)
    ?.then((isThere) => (isThere || isNew) && action())
    .catch(() => {}); // the code stays plain, and the next block tries again
}

/** Returns undefined if there is nothing to load. */
function ready(language: string): Promise<boolean> | undefined {
  if (!source) return undefined;
  if (highlighter) return highlighter.loadGrammars(language, source);
  const grammars = source;
  return load?.().then((loaded) => {
    highlighter = loaded;
    return loaded.loadGrammars(language, grammars) ?? true;
  });
}
