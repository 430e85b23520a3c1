import { Lexer, type Token, Tokenizer, type Tokens, type TokensList } from "marked";
import { mathAndFootnotes } from "./math-and-footnotes.ts";

/** Deeper quotes, lists, links and emphasis are shown as they are written. */
const DEEPEST = 10;
/**
 * Emphasis and links are searched in parts of this many characters, because some of marked's searches take quadratic
 * time.
 */
const LONGEST_LINE = 2_000;
/** How often the same text may be read again. Real text stays below 10; hostile nesting would take exponential time. */
const MOST_READINGS = 20;

/**
 * Marked's own rules look for a table at every line and read to the end of the text each time. Without the table rule they take
 * linear time; `paragraph` below finds a table that follows a paragraph.
 */
const BLOCK_RULES = { ...Lexer.rules.block.normal, table: Lexer.rules.block.gfm.table };

/** Definitions of reference links, such as `[name]: https://example.org`. */
export type LinkDefinitions = TokensList["links"];

export interface LexedText {
  tokens: Token[];
  /** Where each token starts in the text. */
  starts: number[];
}

/** Splits Markdown into tokens. HTML in it is text like any other. */
export function lexMarkdown(text: string, links?: LinkDefinitions): LexedText {
  return new BoundedLexer(new TextTokenizer(), links).read(text);
}

/** Finds only code and addresses, for text that people wrote without thinking of Markdown. */
export function lexPlain(text: string): LexedText {
  return new BoundedLexer(new PlainTokenizer()).read(text);
}

export function lexPlainLine(text: string): Token[] {
  return new BoundedLexer(new PlainTokenizer()).readLine(text);
}

/** Takes time in proportion to the text, whatever it contains. */
class BoundedLexer extends Lexer {
  readonly #starts: number[] = [];
  #text = "";
  #depth = 0;
  #unread = 0;

  readonly #tokenizer: TextTokenizer;

  constructor(tokenizer: TextTokenizer, links?: LinkDefinitions) {
    super({ gfm: true, tokenizer });
    if (!(tokenizer instanceof PlainTokenizer))
      this.options.extensions = mathAndFootnotes({
        noteStart: (src) => this.noteStart(src),
        inline: (text) => this.inlineTokens(text),
      });
    this.#tokenizer = tokenizer;
    tokenizer.rules = { ...tokenizer.rules, block: BLOCK_RULES };
    if (links) this.tokens.links = links;
  }

  read(text: string): LexedText {
    this.#text = text;
    this.#unread = text.length * MOST_READINGS;
    const tokens = this.blockTokens(text, this.tokens);
    for (const { src, tokens: inner } of this.inlineQueue) this.#readLine(src, inner);
    return { tokens, starts: this.#starts };
  }

  readLine(text: string): Token[] {
    return this.#readLine(text, []);
  }

  /** Records where the next top-level token starts. If marked drops or joins a token, the record applies to the next one. */
  noteStart(rest: string): void {
    if (this.#depth === 1) this.#starts[this.tokens.length] = this.#text.length - rest.length;
  }

  get mayNest(): boolean {
    return this.#depth <= DEEPEST && this.#unread > 0;
  }

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], isClipped = false): Token[] {
    const leave = this.#tokenizer.enterBlocks();
    const read = this.#inside(src, () => super.blockTokens(src, tokens, isClipped));
    leave();
    return read;
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (!this.mayNest) {
      tokens.push({ type: "text", raw: src, text: src });
      return tokens;
    }
    return this.#inside(src, () => super.inlineTokens(src, tokens));
  }

  #readLine(text: string, tokens: Token[]): Token[] {
    for (let at = 0; at < text.length; ) {
      const end = cutBefore(text, at);
      this.#unread = (end - at) * MOST_READINGS;
      this.inlineTokens(text.slice(at, end), tokens);
      at = end;
    }
    return tokens;
  }

  #inside<T>(src: string, read: () => T): T {
    this.#unread -= src.length;
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** Returns where a part that starts here ends: after a line, a sentence or a word, if it can. */
function cutBefore(text: string, start: number): number {
  const most = start + LONGEST_LINE;
  if (text.length <= most) return text.length;
  const least = start + LONGEST_LINE / 2;
  const end = ["\n", ". ", " "].map((mark) => text.lastIndexOf(mark, most - 2) + mark.length).find((at) => at > least);
  return end ?? most;
}

class TextTokenizer extends Tokenizer {
  /** Set while marked's own code for quotes runs; unset while it reads the content of a quote. */
  #isInQuote = false;

  enterBlocks(): () => void {
    const before = this.#isInQuote;
    this.#isInQuote = false;
    return () => {
      this.#isInQuote = before;
    };
  }

  override space(src: string): Tokens.Space | undefined {
    if (this.lexer instanceof BoundedLexer) this.lexer.noteStart(src);
    return super.space(src);
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    if (!mayNest(this.lexer)) return this.#isInQuote ? quoteAsWritten(src) : undefined;
    // Marked reads an inner quote again if a line without a mark follows it, and loses what that second pass leaves
    // over.
    const isAgain = this.#isInQuote;
    this.#isInQuote = true;
    const token = super.blockquote(src);
    this.#isInQuote = isAgain;
    if (!token || !isAgain || token.raw.length >= src.length) return token;
    this.lexer.blockTokens(src.slice(token.raw.length), token.tokens);
    return { ...token, raw: src };
  }

  override list(src: string): Tokens.List | undefined {
    if (mayNest(this.lexer)) return super.list(src);
    return this.#isInQuote ? listAsWritten(src) : undefined;
  }

  override table(src: string): Tokens.Table | undefined {
    return startsTable(src, 0) ? super.table(src) : undefined;
  }

  override lheading(src: string): Tokens.Heading | undefined {
    const [, content = ""] = this.rules.block.lheading.exec(src) ?? [];
    // Marked ignores a rule between the paragraph and its underline.
    const hasRule = lineAfter(content, (line) => this.rules.block.hr.test(content.slice(line)));
    return hasRule || tableAfter(src, content) ? undefined : super.lheading(src);
  }

  override paragraph(src: string): Tokens.Paragraph | undefined {
    const [most = ""] = this.rules.block.paragraph.exec(src) ?? [];
    return super.paragraph(src.slice(0, tableAfter(src, most)));
  }

  override html(): undefined {}

  override tag(): undefined {}
}

// Placeholders for content that is nested too deeply: marked's own code for quotes reads inner ones again and needs a token
// each time.

const written = (src: string): Token[] => [{ type: "text", raw: src, text: src }];

function quoteAsWritten(src: string): Tokens.Blockquote {
  return { type: "blockquote", raw: src, text: src, tokens: written(src) };
}

function listAsWritten(src: string): Tokens.List {
  const item = { task: false, loose: false, text: src, tokens: written(src) };
  return {
    type: "list",
    raw: src,
    ordered: false,
    start: "",
    loose: false,
    items: [{ type: "list_item", raw: src, ...item }],
  };
}

/** Returns where a table starts in the lines after the first of this part, or undefined if none does. */
function tableAfter(text: string, part: string): number | undefined {
  return lineAfter(part, (line) => startsTable(text, line));
}

/** Returns the start of the first line after the first one for which the test is true. */
function lineAfter(text: string, isFound: (start: number) => boolean): number | undefined {
  for (let line = text.indexOf("\n") + 1; line > 0; line = text.indexOf("\n", line) + 1) {
    if (isFound(line)) return line;
  }
  return undefined;
}

const DASHES = /^ {0,3}\|? *:?-+:? *(?:\| *:?-+:? *){0,99}\|? *$/;
const LONGEST_DASHES = 2_000;

/** Returns whether the line that starts here has cells, and the next one the same number of groups of dashes. */
function startsTable(text: string, start: number): boolean {
  const end = text.indexOf("\n", start);
  if (end === -1) return false;
  const dashesEnd = text.indexOf("\n", end + 1);
  const dashes = text.slice(end + 1, dashesEnd === -1 ? undefined : dashesEnd);
  if (!/[|:]/.test(dashes) || dashes.length > LONGEST_DASHES || !DASHES.test(dashes)) return false;
  return cellsOf(text.slice(start, end)) === cellsOf(dashes);
}

function cellsOf(row: string): number {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.match(/(?<!\\)\|/g)?.length ?? 0;
}

function mayNest(lexer: Lexer): boolean {
  return !(lexer instanceof BoundedLexer) || lexer.mayNest;
}

class PlainTokenizer extends TextTokenizer {
  override paragraph(src: string): Tokens.Paragraph {
    const end = src.indexOf("\n") + 1 || src.length;
    const raw = src.slice(0, end);
    return { type: "paragraph", raw, text: raw, tokens: [] };
  }

  override code(): undefined {}
  override heading(): undefined {}
  override hr(): undefined {}
  override blockquote(): undefined {}
  override list(): undefined {}
  override def(): undefined {}
  override table(): undefined {}
  override lheading(): undefined {}
  override escape(): undefined {}
  override link(): undefined {}
  override reflink(): undefined {}
  override emStrong(): undefined {}
  override br(): undefined {}
  override del(): undefined {}
}
