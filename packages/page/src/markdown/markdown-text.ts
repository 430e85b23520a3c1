// Parses Markdown without a page, for programs that do their own layout.
export type { Token, Tokens } from "marked";
export { decodeEntities } from "./entities.ts";
export { lexMarkdown } from "./lexer.ts";
