import type { MarkedToken, Token } from "marked";
import { decodeEntities } from "./entities.ts";
import { lexPlainLine } from "./lexer.ts";

export type Inline = string | { type: "strong" | "em" | "del"; children: Inline[] } | Code | Link | { type: "break" };

interface Code {
  type: "code";
  text: string;
}

export interface Link {
  type: "link";
  /** The source text. */
  address: string;
  /** Undefined if links on the page must not have this address. */
  href: string | undefined;
  children: Inline[];
}

interface Place {
  isInLink?: boolean;
  /** Text written by people keeps its spaces and its `&lt;`. */
  isPlain?: boolean;
}

/** Converts marked's tokens to nodes. */
export function toInline(tokens: readonly Token[] = [], place: Place = {}): Inline[] {
  const nodes: Inline[] = [];
  for (const token of tokens) {
    const node = nodeOf(token as MarkedToken, place);
    const last = nodes.length - 1;
    if (node === undefined) continue;
    if (typeof node !== "string") nodes.push(node);
    else if (typeof nodes[last] === "string") nodes[last] += node;
    else nodes.push(isBreak(nodes[last]) ? node.trimStart() : node);
  }
  return nodes;
}

function isBreak(node: Inline | undefined): boolean {
  return typeof node === "object" && node.type === "break";
}

/** Finds only code and addresses. */
export function parsePlainLine(text: string): Inline[] {
  return toInline(lexPlainLine(text), { isPlain: true });
}

function nodeOf(token: MarkedToken, place: Place): Inline | undefined {
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return { type: token.type, children: toInline(token.tokens, place) };
    case "codespan":
      return { type: "code", text: token.text };
    case "br":
      return { type: "break" };
    case "link":
      return link(token.href, toInline(token.tokens, { isInLink: true }));
    case "image": {
      // An external image: the page loads nothing, so it becomes an ordinary link. A link cannot contain another one.
      const alt = plainText(toInline(token.tokens, { isInLink: true }));
      return place.isInLink ? alt : link(token.href, [alt]);
    }
    case "escape":
      return token.text;
    // The checkbox of a task is part of its item.
    case "checkbox":
      return undefined;
    default:
      return place.isPlain ? token.raw : decodeEntities(withoutIndent("text" in token ? token.text : token.raw));
  }
}

/** Spaces around a line end in a paragraph have no meaning. */
function withoutIndent(text: string): string {
  return text.includes("\n") ? text.replace(/ {0,99}\n[ \t]{0,99}/g, "\n") : text;
}

function link(written: string, children: Inline[]): Link {
  const address = decodeEntities(written);
  return { type: "link", address, href: safeHref(address), children };
}

function plainText(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (typeof node === "string") return node;
      if (node.type === "code") return node.text;
      return node.type === "break" ? "\n" : plainText(node.children);
    })
    .join("");
}

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** Returns the address if a link may use it, or undefined for addresses that could run code, read a file or load something unnoticed. */
export function safeHref(address: string): string | undefined {
  const trimmed = address.trim();
  if (/^#[\w.~%-]*$/.test(trimmed)) return trimmed;
  if (!URL.canParse(trimmed)) return undefined;
  const { protocol, href } = new URL(trimmed);
  return ALLOWED.has(protocol) ? href : undefined;
}
