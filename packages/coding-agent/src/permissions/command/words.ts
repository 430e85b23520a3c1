import { homedir } from "node:os";

/** Thrown for text whose meaning only the shell can determine at run time. */
export class Opaque extends Error {}

export interface StaticWord {
  /** The word that the program receives, or the pattern as written. */
  word: string;
  /** True if the shell replaces the word with file names. */
  isPattern: boolean;
  /** The word as passed to the shell: quoted, except for patterns. */
  quoted: string;
}

/**
 * Matches the parts of a word as written: bare characters without a special meaning in bash or sh, `*` and `?`, an escaped
 * character, and both kinds of quotes without expansions. Does not match a line continuation.
 */
const WORD = /(?:[A-Za-z0-9_@%+=:,./~^*?\]#!-]|\P{ASCII})+|\\[^\n]|'[^']*'|"(?:[^\\$`"]|\\[^\n])*"/guy;

/** The placeholder of find. Braces around nothing expand to themselves. */
const PLACEHOLDER: StaticWord = { word: "{}", isPattern: false, quoted: "'{}'" };

/**
 * Reads a word that expands to the same value on every machine. A pattern such as `src/*.ts` stays as written: it can only
 * expand to names with the same beginning, so it cannot become an option. `[…]` is not read as a pattern, because bash and sh
 * differ on it.
 */
export function readWord(source: string, home: string = homedir()): StaticWord {
  if (source === "{}") return PLACEHOLDER;
  const pieces = source.match(WORD) ?? [];
  if (pieces.join("") !== source) throw new Opaque("a character with a meaning to the shell");
  const start = homeStart(source, home);
  const parts = [...start.parts, ...partsOf(start.rest)];
  const word = parts.map(({ text }) => text).join("");
  const isPattern = parts.some((part) => part.isPattern);
  checkStart(source, parts, word);
  if (hasLaterTilde(source)) throw new Opaque("a home directory inside a word");
  return { word, isPattern, quoted: quoteParts(parts) };
}

interface Part {
  text: string;
  isPattern: boolean;
}

/** `~` and `~/…` are known; `~name` and quotes right after the tilde are not. */
function homeStart(source: string, home: string): { parts: Part[]; rest: string } {
  if (!source.startsWith("~")) return { parts: [], rest: source };
  if (!/^~(?:\/|$)/.test(source) || !home.startsWith("/")) throw new Opaque("a home directory that is not known");
  return { parts: [{ text: home, isPattern: false }], rest: source.slice(1) };
}

/** bash expands `name=~` and `a:~` in arguments too, sh does not. */
function hasLaterTilde(source: string): boolean {
  return /[=:]~/.test(source.replace(/\\.|'[^']*'|"(?:[^\\"]|\\.)*"/gsu, "x"));
}

function partsOf(source: string): Part[] {
  return (source.match(WORD) ?? []).flatMap((piece): Part[] => {
    if (piece.startsWith("'")) return [{ text: piece.slice(1, -1), isPattern: false }];
    if (piece.startsWith('"')) return [{ text: piece.slice(1, -1).replace(/\\([$`"\\])/g, "$1"), isPattern: false }];
    if (piece.startsWith("\\")) return [{ text: piece.slice(1), isPattern: false }];
    return (piece.match(/[*?]+|[^*?]+/gu) ?? []).map((text) => ({ text, isPattern: /^[*?]/.test(text) }));
  });
}

/**
 * Rejects unsafe beginnings. A pattern at the start, like `-*`, may match a file called `-rf`. Some shells expand `=name` to a
 * path, and `#` begins a comment.
 */
function checkStart(source: string, parts: readonly Part[], word: string): void {
  if (/^[=#]/.test(source)) throw new Opaque("a word that shells read differently");
  if (!parts.some(({ isPattern }) => isPattern)) return;
  const first = parts.find(({ text }) => text !== "");
  if (first?.isPattern || word.startsWith("-")) throw new Opaque("a pattern that may become an option");
  if (/(?:^|\/)\.{1,2}[*?]/.test(word)) throw new Opaque("a pattern that some shells expand to the parent directory");
}

function quoteParts(parts: readonly Part[]): string {
  const quoted = parts.filter(({ text }) => text !== "").map(({ text, isPattern }) => (isPattern ? text : quote(text)));
  return quoted.length === 0 ? "''" : quoted.join("");
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
