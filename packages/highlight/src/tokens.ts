/** The kinds of tokens. A theme needs exactly one color for each. */
export type TokenKind =
  | "comment"
  | "string"
  | "number"
  | "keyword"
  | "constant"
  | "structure"
  | "type"
  | "call"
  | "added"
  | "removed";

/** A piece of code and its kind; undefined for plain text. */
export type Token = readonly [kind: TokenKind | undefined, text: string];

/** Splits code into tokens. Joining them yields the original code. */
export type Highlight = (code: string, languageName: string) => Token[];

export interface OpenCode {
  tokens: Token[];
  /** A comment, a string or something else that the code begins is not complete, so the tokens after it depend on it. */
  isOpen: boolean;
}

/** Splits the start of longer code into tokens. */
export type HighlightStart = (code: string, languageName: string) => OpenCode;

export interface Highlighter {
  highlight: Highlight;
  highlightStart: HighlightStart;
}
