// Markdown without a page to show it on, for other programs that lay it out themselves.
export type { Token, Tokens } from "marked";
export { decodeEntities } from "./entities.ts";
export { lexMarkdown } from "./lexer.ts";
