import { homedir } from "node:os";

/**
 * A pattern for the command line of one program. `git status` matches exactly that, `npm run *` any further words, and
 * `cat src/*` one word that begins with `src/`. Words with blanks are quoted. A `*` matches any characters of one word; alone at
 * the end it matches any number of further words, including none. `~/` at the start of a word is the home directory.
 */
export interface ArgvPattern {
  words: readonly string[];
  /** One matcher per word of `words`. A quoted `*` is a plain character. */
  matchers: readonly ((word: string) => boolean)[];
  hasOpenEnd: boolean;
}

/** Throws an error for the author of the pattern. */
export function parseArgvPattern(pattern: string): ArgvPattern {
  const parts = splitWords(pattern);
  if (parts.length === 0) throw new Error("A command pattern must name at least a program.");
  const hasOpenEnd = parts.length > 1 && isStar(parts.at(-1));
  const words = hasOpenEnd ? parts.slice(0, -1) : parts;
  return { words: words.map(({ text }) => text), matchers: words.map(wordMatcher), hasOpenEnd };
}

export function matchesArgv({ matchers, hasOpenEnd }: ArgvPattern, argv: readonly string[]): boolean {
  if (hasOpenEnd ? argv.length < matchers.length : argv.length !== matchers.length) return false;
  return matchers.every((matches, index) => matches(argv[index] ?? ""));
}

/** A pattern that matches exactly these words. */
export function argvAsPattern(argv: readonly string[]): string {
  return argv.map((word) => (/^(?!~)[A-Za-z0-9_@%+=:,./~^-]+$/.test(word) ? word : quote(word))).join(" ");
}

interface PatternWord {
  text: string;
  /** Positions in the text at which a `*` is a wildcard. */
  stars: ReadonlySet<number>;
}

const isStar = (word: PatternWord | undefined): boolean => word?.text === "*" && word.stars.size === 1;

function wordMatcher({ text, stars }: PatternWord): (word: string) => boolean {
  const cuts = [...stars].sort((a, b) => a - b);
  const parts = [...cuts, text.length].map((end, index) =>
    text.slice(index === 0 ? 0 : (cuts[index - 1] ?? 0) + 1, end),
  );
  return (word) => matchesParts(parts, word);
}

/**
 * Returns whether a string consists of these parts in order with anything between them. Matches each at its first
 * position: no backtracking is needed.
 */
export function matchesParts(parts: readonly string[], text: string): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return from <= end;
}

function quote(word: string): string {
  return word.includes("'") ? `"${word.replace(/["\\]/g, "\\$&")}"` : `'${word}'`;
}

const PIECE = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|([^\s'"]+)|(\s+)/gy;

function splitWords(pattern: string): PatternWord[] {
  const words: { text: string; stars: Set<number> }[] = [];
  let isNew = true;
  let end = 0;
  for (const match of pattern.trim().matchAll(PIECE)) {
    end += match[0].length;
    const [, single, double, bare, blank] = match;
    if (blank !== undefined) {
      isNew = true;
      continue;
    }
    if (isNew) words.push({ text: "", stars: new Set() });
    isNew = false;
    const word = words.at(-1);
    if (word === undefined) continue;
    const isHome = word.text === "" && bare !== undefined && /^~(?:\/|$)/.test(bare);
    if (isHome) word.text = homedir(); // the same as in commands
    const active = isHome ? bare.slice(1) : (bare ?? "");
    for (const { index } of active.matchAll(/\*/g)) word.stars.add(word.text.length + index);
    word.text += single ?? double?.replace(/\\([\s\S])/g, "$1") ?? active;
  }
  if (end !== pattern.trim().length)
    throw new Error(`Unbalanced quotes in the command pattern ${JSON.stringify(pattern)}.`);
  return words;
}
