import type { ShellNode } from "./shell-tree.ts";

/** Thrown where a text has a meaning that only the shell knows when it runs it. */
export class Opaque extends Error {}

export interface StaticWord {
  word: string;
  /** The shell puts the names of files in its place. */
  isPattern: boolean;
}

/**
 * What a word of the shell becomes, for words that become the same on every machine. A pattern such as `src/*.ts` stays as
 * written: it can only become names that begin like it, so it is no option in disguise.
 */
export function staticWord(node: ShellNode): StaticWord {
  const pieces = node.kind === "concatenation" ? node.children : [node];
  if (pieces.map((piece) => piece.text).join("") !== node.text) throw new Opaque("a word with gaps");
  if (node.text === "{}") return { word: "{}", isPattern: false }; // the place holder of find; braces around nothing expand to themselves
  const word = pieces.map(decodePiece).join("");
  const active = pieces.map(activeText).join("");
  if (isExpandedAtStart(node.text, active)) throw new Opaque("a word that may become an option or another path");
  return { word, isPattern: /[*?[]/.test(active) };
}

/** The word with an x for each character that quotes make harmless. */
function activeText(piece: ShellNode): string {
  const text = piece.text;
  if (piece.kind === "string" || piece.kind === "raw_string") return "x".repeat(text.length - 2);
  return text.replace(/\\./gsu, "x");
}

const DECODERS: Readonly<Record<string, (text: string) => string>> = {
  word: decodeBare,
  number: decodeBare,
  raw_string: decodeSingleQuoted,
  string: decodeQuoted,
};

function decodePiece(piece: ShellNode): string {
  const decode = DECODERS[piece.kind];
  if (decode === undefined) throw new Opaque(`${piece.kind} in a word`);
  const inside = piece.children.map((child) => child.kind);
  if (inside.some((kind) => kind !== '"' && kind !== "string_content")) throw new Opaque("an expansion in a word");
  return decode(piece.text);
}

/** What may stand unquoted in a word without a meaning to any common shell, and patterns. */
const BARE = /^(?:[A-Za-z0-9_@%+=:,./~^*?[\]#!-]|\P{ASCII}|\\[^\n])+$/u;

function decodeBare(text: string): string {
  if (!BARE.test(text)) throw new Opaque("a character with a meaning to the shell");
  return text.replace(/\\(.)/gsu, "$1");
}

function decodeSingleQuoted(text: string): string {
  if (!/^'[^']*'$/.test(text)) throw new Opaque("an open quote");
  return text.slice(1, -1);
}

function decodeQuoted(text: string): string {
  if (!/^"(?:[^\\$`"]|\\[\s\S])*"$/.test(text)) throw new Opaque("an expansion in quotes, or an open quote");
  return text.slice(1, -1).replace(/\\([$`"\\\n])/g, (_, character: string) => (character === "\n" ? "" : character));
}

/**
 * A pattern at the start may match a file called `-rf`; `-*` too. `=name` and `~name` are paths to some shells; `~/` is known
 * to all of them.
 */
function isExpandedAtStart(text: string, active: string): boolean {
  if (text.startsWith("=") || /^[*?[]/.test(active)) return true;
  if (text.startsWith("~")) return text !== "~" && text[1] !== "/";
  return text.replace(/["'\\]/g, "").startsWith("-") && /[*?[]/.test(active);
}
