import { COMMON_GRAMMARS } from "./common-grammars.ts";
import { addGrammars, missingGrammars } from "./engine.ts";
import { decodeGrammar, type GrammarData } from "./grammar-data.ts";
import type { LanguageName } from "./languages.ts";

addGrammars(COMMON_GRAMMARS);

/** Returns the grammar as data. Rejects if it is not available now. */
export type GrammarSource = (language: LanguageName) => Promise<GrammarData>;

const loading = new Map<string, Promise<boolean>>();

/**
 * Loads the grammars that code in this language needs and the page does not contain. Resolves with whether they are now
 * available; returns undefined if there is nothing to load.
 */
export function loadGrammars(languageName: string, source: GrammarSource): Promise<boolean> | undefined {
  const missing = missingGrammars(languageName);
  if (missing.length === 0) return undefined;
  const load = loading.get(languageName) ?? read(languageName, missing, source);
  loading.set(languageName, load);
  return load;
}

async function read(name: string, missing: readonly LanguageName[], source: GrammarSource): Promise<boolean> {
  try {
    const read = await Promise.all(missing.map(async (language) => [language, decodeGrammar(await source(language))]));
    addGrammars(Object.fromEntries(read));
    return true;
  } catch {
    loading.delete(name); // the code stays plain, and the next block of this language tries again
    return false;
  }
}

export { highlight } from "./engine.ts";
export type { GrammarData } from "./grammar-data.ts";
