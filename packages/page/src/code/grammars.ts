import { type GrammarSource, loadGrammars } from "@pintle/highlight/page-highlighter";

let source: GrammarSource | undefined;

/** Where this page has the grammars that are not part of its script. Code shown before stays plain in those languages. */
export function setGrammarSource(given: GrammarSource): void {
  source = given;
}

/** Calls the action once the language can be highlighted; never, if it already can or never will. */
export function awaitGrammars(language: string, action: () => void): void {
  if (!source) return;
  loadGrammars(language, source)
    ?.then((isThere) => isThere && action())
    .catch(() => {}); // never rejects
}
