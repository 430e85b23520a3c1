import type { Emitter } from "highlight.js";
import type { Token, TokenKind } from "./tokens.ts";

/** Marks the end of a window of code. No text contains it: Unicode reserves it as a noncharacter. */
export const CUT = "\uffff";

/** `undefined` is the kind of whatever is around it. */
type Kind = TokenKind | "plain" | undefined;

/** The scopes of highlight.js, and our kind for each. Unlisted scopes inherit the enclosing kind. */
const KINDS: Readonly<Record<string, Kind>> = {
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

/** Makes tokens of the nested scopes that highlight.js finds. */
export class TokenEmitter implements Emitter {
  readonly #parts: [Kind, string][] = [];
  readonly #scopes: Kind[] = [];

  get tokens(): Token[] {
    const tokens: [TokenKind | undefined, string][] = [];
    for (const [part, text] of this.#parts) {
      const kind = part === "plain" ? undefined : part;
      const last = tokens.at(-1);
      // One token instead of several, so that a page needs fewer elements.
      if (last && last[0] === kind) last[1] += text;
      else tokens.push([kind, text]);
    }
    return tokens;
  }

  startScope(name: string): void {
    const outer = this.#scopes.at(-1);
    const kind = KINDS[name] ?? KINDS[name.split(".", 1)[0]!] ?? outer;
    // Some grammars report their literals as keywords.
    this.#scopes.push(kind === "keyword" && outer === "constant" ? outer : kind);
  }

  endScope(): void {
    this.#scopes.pop();
  }

  /** highlight.js calls the same by two names. */
  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  addText(text: string): void {
    if (text !== "" && text !== CUT) this.#parts.push([this.#scopes.at(-1), text]);
  }

  __addSublanguage(inner: Emitter): void {
    const outer = this.#scopes.at(-1);
    if (inner instanceof TokenEmitter) for (const [kind, text] of inner.#parts) this.#parts.push([kind ?? outer, text]);
  }

  finalize(): void {}

  toHTML(): string {
    return "";
  }
}
