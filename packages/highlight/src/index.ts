import type { Highlighter } from "./tokens.ts";

export { languageByName, languageOfFile } from "./languages.ts";
export type { Highlight, Highlighter, Token, TokenKind } from "./tokens.ts";

/** Loads the grammars, which are 200 KB of code, when the first code is shown. */
export async function loadHighlighter(): Promise<Highlighter> {
  return await import("./highlighter.ts");
}
