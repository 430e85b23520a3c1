// Reads ignore files like `find` and `grep`, that is, like ripgrep, whose globs also have `{a,b}`.

/** One line of an ignore file. */
export interface IgnorePattern {
  isNegated: boolean;
  isForDirectories: boolean;
  matches(path: string): boolean;
}

export function parsePatterns(text: string): IgnorePattern[] {
  return text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .flatMap((line) => parsePattern(line) ?? []);
}

/** Returns undefined for comments, empty lines and globs that are invalid. */
export function parsePattern(line: string): IgnorePattern | undefined {
  let glob = line.startsWith("#") ? "" : /\\\s+$/.test(line) ? line : line.trimEnd();
  const isNegated = glob.startsWith("!");
  if (isNegated) glob = glob.slice(1);
  else if (/^\\[!#]/.test(glob)) glob = glob.slice(1);
  const isForDirectories = glob.endsWith("/") && !glob.endsWith("\\/");
  if (isForDirectories) glob = glob.slice(0, -1);
  const isAnchored = glob.includes("/");
  if (glob.startsWith("/")) glob = glob.slice(1);
  if (glob === "") return undefined;
  // Most lines are plain names. Comparing strings is several times faster than an expression.
  if (!isAnchored && !/[*?[\]{}\\]/.test(glob)) {
    const suffix = `/${glob}`;
    return { isNegated, isForDirectories, matches: (path) => path === glob || path.endsWith(suffix) };
  }
  if (!isAnchored && !glob.startsWith("**/")) glob = `**/${glob}`;
  if (glob.endsWith("/**")) glob += "/*";
  const source = toExpression(glob);
  if (source === undefined) return undefined;
  try {
    const expression = new RegExp(`^(?:${source})$`, "su");
    return { isNegated, isForDirectories, matches: (path) => expression.test(path) };
  } catch {
    return undefined;
  }
}

/** Returns the last matching pattern, which decides. `path` is relative to the directory of the ignore file. */
export function lastMatch(
  patterns: readonly IgnorePattern[],
  path: string,
  isDirectory: boolean,
): IgnorePattern | undefined {
  for (let index = patterns.length - 1; index >= 0; index -= 1) {
    const pattern = patterns[index]!;
    if ((isDirectory || !pattern.isForDirectories) && pattern.matches(path)) return pattern;
  }
  return undefined;
}

/** Returns undefined if the glob is invalid. */
function toExpression(glob: string): string | undefined {
  let source = "";
  let depth = 0;
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob[at]!;
    if (character === "\\") {
      at += 1;
      if (at >= glob.length) return undefined;
      source += escapeCharacter(glob[at]!);
    } else if (character === "*") {
      const isWhole = (at === 0 || glob[at - 1] === "/") && glob[at + 1] === "*";
      if (isWhole && glob[at + 2] === "/") {
        source += "(?:.*/)?";
        at += 2;
      } else if (isWhole && at + 2 === glob.length) {
        source += ".*";
        at += 1;
      } else source += "[^/]*";
    } else if (character === "?") source += "[^/]";
    else if (character === "[") {
      const end = endOfClass(glob, at);
      if (end === -1) return undefined;
      source += `(?!/)${toClass(glob.slice(at + 1, end))}`;
      at = end;
    } else if (character === "{") {
      depth += 1;
      source += "(?:";
    } else if (character === "}" && depth > 0) {
      depth -= 1;
      source += ")";
    } else if (character === "," && depth > 0) source += "|";
    else source += escapeCharacter(character);
  }
  return depth === 0 ? source : undefined;
}

/** A `]` right after the start belongs to the class. */
function endOfClass(glob: string, start: number): number {
  const first = /[!^]/.test(glob[start + 1] ?? "") ? start + 2 : start + 1;
  return glob.indexOf("]", first + 1);
}

function toClass(content: string): string {
  const isNegated = /^[!^]/.test(content);
  const members = (isNegated ? content.slice(1) : content).replace(/[\\\]^[&~|]/g, "\\$&");
  // A hyphen at an end is a character.
  const escaped = members.replace(/^-|-$/g, "\\-");
  return `[${isNegated ? "^" : ""}${escaped}]`;
}

function escapeCharacter(character: string): string {
  return /[.*+?^${}()|[\]\\/]/.test(character) ? `\\${character}` : character;
}
