import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities } from "./entities.ts";
import { type Inline, parsePlainLine, toInline } from "./inline.ts";
import { type LinkDefinitions, lexMarkdown, lexPlain } from "./lexer.ts";

export type MarkdownBlock =
  | { type: "heading"; level: number; content: Inline[] }
  | { type: "paragraph"; content: Inline[] }
  | { type: "code"; language: string; text: string }
  | { type: "quote"; children: MarkdownBlock[] }
  | { type: "list"; start: number | undefined; isLoose: boolean; items: ListItem[] }
  | Table
  | { type: "rule" };

export interface ListItem {
  /** Set for a task item. */
  isDone?: boolean;
  children: MarkdownBlock[];
}

export interface Table {
  type: "table";
  aligns: ("left" | "right" | "center" | undefined)[];
  head: Inline[][];
  rows: Inline[][][];
}

export function parseMarkdown(text: string): MarkdownBlock[] {
  return readBlocks(markdownText(text)).map(({ block }) => block);
}

/** Marked computes positions in text with these line endings. */
export function markdownText(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Returns the blocks, each with the position where it starts. `links` collects the definitions of reference links. */
export function readBlocks(text: string, links?: LinkDefinitions): { block: MarkdownBlock; start: number }[] {
  const { tokens, starts } = lexMarkdown(text, links);
  return tokens.flatMap((token, index) => {
    const block = blockOf(token as MarkedToken);
    return block ? [{ block, start: starts[index] ?? 0 }] : [];
  });
}

/** Text written by people stays as it is, except for fenced code. */
export function parsePlain(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let plain = "";
  const flush = () => {
    const content = plain.replace(/^\n+|\s+$/g, "");
    if (content !== "") blocks.push({ type: "paragraph", content: parsePlainLine(content) });
    plain = "";
  };
  const given = markdownText(text);
  const { tokens, starts } = lexPlain(given);
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "code") {
      plain += given.slice(starts[index], starts[index + 1]);
      continue;
    }
    flush();
    blocks.push(code(token as Tokens.Code));
  }
  flush();
  return blocks;
}

function blockOf(token: MarkedToken): MarkdownBlock | undefined {
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return undefined;
    case "heading":
      return { type: "heading", level: token.depth, content: toInline(token.tokens) };
    case "code":
      return code(token);
    case "hr":
      return { type: "rule" };
    case "blockquote":
      return { type: "quote", children: blocksOf(token.tokens) };
    case "list":
      return list(token);
    case "table":
      return table(token);
    default:
      return { type: "paragraph", content: trimmed("tokens" in token ? toInline(token.tokens) : [token.raw]) };
  }
}

/** Spaces at the start and end of a paragraph have no meaning. */
function trimmed(content: Inline[]): Inline[] {
  const [first] = content;
  if (typeof first === "string") content[0] = first.replace(/^ +/, "");
  const last = content.at(-1);
  if (typeof last === "string") content[content.length - 1] = last.replace(/[ \n]+$/, "");
  return content;
}

function blocksOf(tokens: readonly Token[]): MarkdownBlock[] {
  return tokens.flatMap((token) => blockOf(token as MarkedToken) ?? []);
}

function code({ lang, text }: Tokens.Code): MarkdownBlock {
  const language = /^[^\s{]{1,60}/.exec(decodeEntities(lang ?? ""))?.[0] ?? "";
  return { type: "code", language, text: text.replace(/\n$/, "") };
}

function list({ ordered, start, loose, items }: Tokens.List): MarkdownBlock {
  return {
    type: "list",
    start: ordered ? Number(start) : undefined,
    isLoose: loose,
    items: items.map(({ task, checked, tokens }) => ({
      ...(task && { isDone: checked === true }),
      children: blocksOf(tokens),
    })),
  };
}

function table({ align, header, rows }: Tokens.Table): Table {
  const cells = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => toInline(tokens));
  return {
    type: "table",
    aligns: align.map((side) => side ?? undefined),
    head: cells(header),
    rows: rows.map(cells),
  };
}
