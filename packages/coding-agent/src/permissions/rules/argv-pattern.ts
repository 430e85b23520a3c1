/**
 * A pattern for the arguments of one program: `git status` is exactly that, `npm run *` has anything behind, `cat src/*` one
 * word that begins so. Words with blanks stand in quotes. A `*` matches any characters of one word; alone at the end it
 * matches any further words, also none.
 */
export interface ArgvPattern {
  words: readonly string[];
  /** In `words` where a `*` is meant, per word: quoted ones are plain characters. */
  matchers: readonly ((word: string) => boolean)[];
  hasOpenEnd: boolean;
}

/** Throws what the author of the pattern should read. */
export function parseArgvPattern(pattern: string): ArgvPattern {
  const parts = splitWords(pattern);
  if (parts.length === 0) throw new Error("A command pattern names at least a program.");
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
  return argv.map((word) => (/^[A-Za-z0-9_@%+=:,./~^-]+$/.test(word) ? word : quote(word))).join(" ");
}

interface PatternWord {
  text: string;
  /** Where in the text a `*` stands for others. */
  stars: ReadonlySet<number>;
}

const isStar = (word: PatternWord | undefined): boolean => word?.text === "*" && word.stars.size === 1;

function wordMatcher({ text, stars }: PatternWord): (word: string) => boolean {
  if (stars.size === 0) return (word) => word === text;
  const escaped = [...text.matchAll(/[\s\S]/g)].map(({ 0: character, index }) =>
    stars.has(index) ? "[\\s\\S]*" : character.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
  );
  const expression = new RegExp(`^${escaped.join("")}$`);
  return (word) => expression.test(word);
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
    for (const { index } of (bare ?? "").matchAll(/\*/g)) word.stars.add(word.text.length + index);
    word.text += single ?? double?.replace(/\\([\s\S])/g, "$1") ?? bare ?? "";
  }
  if (end !== pattern.trim().length)
    throw new Error(`Unbalanced quotes in the command pattern ${JSON.stringify(pattern)}.`);
  return words;
}
