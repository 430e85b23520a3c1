import { type Highlight, languageByName } from "@pintle/highlight";
import { lexMarkdown, type Token, type Tokens } from "@pintle/page/markdown";
import { codeRows } from "../code/code-rows.ts";
import { tokenLines } from "../code/fence-highlighter.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { widthOf } from "../text/width.ts";
import { wrapped } from "../text/wrap.ts";
import { inlineText, perLine } from "./inline-text.ts";
import { tableLines } from "./table-lines.ts";

const RULE_WIDTH = 40;
/** Content nested so deeply that it has less space is not indented further. */
const MIN_WIDTH = 10;
const CODE_INDENT = "  ";

interface Look {
  theme: Theme;
  highlight: Highlight | undefined;
}

/** Lays Markdown out as lines of at most this many columns. Without a highlighter, code has one color. */
export function blockLines(text: string, width: number, theme: Theme, highlight?: Highlight): string[] {
  return linesOf(lexMarkdown(shownText(text)).tokens, width, { theme, highlight });
}

function linesOf(tokens: readonly Token[], width: number, look: Look, isTight = false): string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const block = linesOfBlock(token, width, look);
    if (block.length === 0) continue;
    if (lines.length > 0 && !isTight) lines.push("");
    for (const line of block) lines.push(line);
  }
  return lines;
}

function linesOfBlock(token: Token, width: number, look: Look): string[] {
  const { theme } = look;
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "heading":
      return wrapped(heading(inlineText(token.tokens, theme), Number(token.depth), theme), width);
    case "list":
      return isList(token) ? listLines(token, width, look) : [];
    case "blockquote": {
      const inner = linesOf(token.tokens ?? [], Math.max(MIN_WIDTH, width - 2), look);
      return inner.map((line) => `${theme.dim("│")} ${theme.italic(line)}`);
    }
    case "code":
      return codeLines(shownText(String(token.text)), String(token.lang ?? ""), width, look);
    case "hr":
      return [theme.dim("─".repeat(Math.min(width, RULE_WIDTH)))];
    case "table":
      return isTable(token) ? tableLines(token, width, theme) : [];
    default:
      return wrapped(inlineText([token], theme), width);
  }
}

function isList(token: Token): token is Tokens.List {
  return token.type === "list";
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === "table";
}

function codeLines(code: string, language: string, width: number, { theme, highlight }: Look): string[] {
  const room = Math.max(1, width - CODE_INDENT.length);
  const isKnown = highlight !== undefined && languageByName(language) !== undefined;
  const rows = isKnown
    ? tokenLines(highlight(code, language)).flatMap((tokens) => codeRows(tokens, room, theme))
    : code.split("\n").flatMap((line) => codeRows([[undefined, line]], room, theme).map(theme.code));
  return rows.map((row) => `${CODE_INDENT}${row}`);
}

/** By depth, so that every level looks different even without colors. */
function heading(text: string, depth: number, { heading, underline, bold, italic, dim }: Theme): string {
  const styles = [[heading, underline], [heading], [bold], [bold, italic], [italic], [italic, dim]];
  return (styles[depth - 1] ?? []).reduce((styled, style) => perLine(style, styled), text);
}

/** Lines after the first one of an item start below its text. */
function listLines({ items, ordered, start, loose }: Tokens.List, width: number, look: Look): string[] {
  const { theme } = look;
  const lines: string[] = [];
  for (const [index, item] of items.entries()) {
    const box = item.task ? [item.checked ? "☑" : "☐"] : [];
    const number = ordered ? [`${Number(start || 0) + index}.`] : [];
    const sign = [...number, ...box].join(" ") || "•";
    const indent = widthOf(sign) + 1;
    const inner = linesOf(item.tokens, Math.max(MIN_WIDTH, width - indent), look, !loose);
    const [first = "", ...others] = inner;
    if (loose && index > 0) lines.push("");
    lines.push(`${theme.accent(sign)} ${first}`);
    for (const line of others) lines.push(line === "" ? "" : `${" ".repeat(indent)}${line}`);
  }
  return lines;
}
