/** The kinds of code. A theme needs exactly one colour for each. */
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

/** Splits code into tokens. Joined, they are the code, unchanged. */
export type Highlight = (code: string, languageName: string) => Token[];
