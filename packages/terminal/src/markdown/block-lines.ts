import { lexMarkdown, type Token, type Tokens } from "@pintle/page/markdown";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { widthOf } from "../text/width.ts";
import { wrapped } from "../text/wrap.ts";
import { inlineText, perLine } from "./inline-text.ts";
import { tableLines } from "./table-lines.ts";

const RULE_WIDTH = 40;
/** Content that is nested so deeply that it has less room is not indented further. */
const MIN_WIDTH = 10;
const CODE_INDENT = "  ";

/** Lays Markdown out as lines of at most this many columns. */
export function blockLines(text: string, width: number, theme: Theme): string[] {
  return linesOf(lexMarkdown(shownText(text)).tokens, width, theme);
}

function linesOf(tokens: readonly Token[], width: number, theme: Theme, isTight = false): string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const block = linesOfBlock(token, width, theme);
    if (block.length === 0) continue;
    if (lines.length > 0 && !isTight) lines.push("");
    for (const line of block) lines.push(line);
  }
  return lines;
}

function linesOfBlock(token: Token, width: number, theme: Theme): string[] {
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "heading":
      return wrapped(heading(inlineText(token.tokens, theme), Number(token.depth), theme), width);
    case "list":
      return isList(token) ? listLines(token, width, theme) : [];
    case "blockquote": {
      const inner = linesOf(token.tokens ?? [], Math.max(MIN_WIDTH, width - 2), theme);
      return inner.map((line) => `${theme.dim("│")} ${theme.italic(line)}`);
    }
    case "code":
      return shownText(String(token.text))
        .split("\n")
        .flatMap((line) => wrapped(`${CODE_INDENT}${theme.code(line)}`, width));
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

function heading(text: string, depth: number, theme: Theme): string {
  if (depth > 2) return perLine(theme.bold, text);
  const title = perLine(theme.heading, text);
  return depth === 1 ? perLine(theme.underline, title) : title;
}

/** Lines after the first one of an item start below its text. */
function listLines({ items, ordered, start, loose }: Tokens.List, width: number, theme: Theme): string[] {
  const lines: string[] = [];
  for (const [index, item] of items.entries()) {
    const sign = ordered ? `${Number(start || 0) + index}.` : "-";
    const box = item.task ? `${item.checked ? "☑" : "☐"} ` : "";
    const indent = widthOf(sign) + 1;
    const inner = linesOf(item.tokens, Math.max(MIN_WIDTH, width - indent), theme, !loose);
    const [first = "", ...others] = inner;
    if (loose && index > 0) lines.push("");
    lines.push(`${theme.accent(sign)} ${box}${first}`);
    for (const line of others) lines.push(line === "" ? "" : `${" ".repeat(indent)}${line}`);
  }
  return lines;
}
