import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { textOrEmpty } from "@pintle/foundation";
import { type IgnorePattern, lastMatch, parsePatterns } from "./ignore-patterns.ts";
import { lstatIfThere } from "./read-state.ts";

/** The ignore files of one directory. Immutable: a changed file results in a new object. */
interface DirectoryRules {
  directory: string;
  parent: DirectoryRules | undefined;
  /** Patterns of a repository do not apply in a repository inside it. */
  isRepository: boolean;
  /** The lists by strength; `.ignore` in any directory overrides `.gitignore` in all of them. */
  lists: Readonly<Partial<Record<Kind, readonly IgnorePattern[]>>>;
}

type Kind = "rgignore" | "ignore" | "gitignore" | "exclude";

const KINDS: readonly { kind: Kind; file: string; isOfGit: boolean }[] = [
  { kind: "rgignore", file: ".rgignore", isOfGit: false },
  { kind: "ignore", file: ".ignore", isOfGit: false },
  { kind: "gitignore", file: ".gitignore", isOfGit: true },
  { kind: "exclude", file: ".git/info/exclude", isOfGit: true },
];

interface ReadFile {
  version: string;
  patterns: readonly IgnorePattern[];
}

/** Reads ignore files, and reads them again only after they have changed. */
export class IgnoreFiles {
  readonly #files = new Map<string, ReadFile>();
  readonly #global: readonly string[];

  constructor(env: Readonly<Record<string, string | undefined>> = process.env) {
    this.#global = globalFiles(env);
  }

  /** Reads the rules for one scan, during which they do not change. */
  begin(): IgnoreRules {
    const path = this.#global.find((candidate) => lstatIfThere(candidate)?.isFile());
    return new IgnoreRules((file) => this.#read(file), path === undefined ? [] : this.#read(path));
  }

  #read(path: string): readonly IgnorePattern[] {
    const stats = lstatIfThere(path);
    if (!stats?.isFile()) return [];
    const version = `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
    const known = this.#files.get(path);
    if (known?.version === version) return known.patterns;
    const patterns = parsePatterns(textOrEmpty(path));
    this.#files.set(path, { version, patterns });
    return patterns;
  }
}

/** The rules of one scan, by directory. */
export class IgnoreRules {
  readonly #read: (path: string) => readonly IgnorePattern[];
  readonly #global: readonly IgnorePattern[];
  readonly #directories = new Map<string, DirectoryRules>();

  constructor(read: (path: string) => readonly IgnorePattern[], global: readonly IgnorePattern[]) {
    this.#read = read;
    this.#global = global;
  }

  /** Reads the rules of a directory and of those above it. `names` are its entries that start with a dot, if known. */
  enter(directory: string, names?: ReadonlySet<string>): DirectoryRules {
    const known = this.#directories.get(directory);
    if (known) return known;
    const above = dirname(directory);
    const parent = above === directory ? undefined : this.enter(above);
    const has = (name: string) => (names ? names.has(name) : lstatIfThere(join(directory, name)) !== undefined);
    const lists: Partial<Record<Kind, readonly IgnorePattern[]>> = {};
    for (const { kind, file } of KINDS) {
      const [name = file] = file.split("/");
      const patterns = has(name) ? this.#read(join(directory, file)) : [];
      if (patterns.length > 0) lists[kind] = patterns;
    }
    const isRepository = has(".git");
    // Most directories have no rules of their own: they share the object of the next one that does.
    const isEmpty = parent && !isRepository && Object.keys(lists).length === 0;
    const rules = isEmpty ? parent : { directory, parent, isRepository, lists };
    this.#directories.set(directory, rules);
    return rules;
  }

  /** Whether anything may be ignored in a directory. */
  hasPatterns(rules: DirectoryRules): boolean {
    if (this.#global.length > 0) return true;
    for (let at: DirectoryRules | undefined = rules; at; at = at.parent) {
      if (Object.keys(at.lists).length > 0) return true;
    }
    return false;
  }

  /** Whether an entry of a directory that is not ignored itself is ignored. */
  isIgnored(path: string, isDirectory: boolean, rules: DirectoryRules): boolean {
    for (const { kind, isOfGit } of KINDS) {
      for (let at: DirectoryRules | undefined = rules; at; at = at.parent) {
        const list = at.lists[kind];
        const match = list && lastMatch(list, relativeTo(at.directory, path), isDirectory);
        if (match) return !match.isNegated;
        if (isOfGit && at.isRepository) break;
      }
    }
    const match = lastMatch(this.#global, path.slice(1), isDirectory);
    return match !== undefined && !match.isNegated;
  }

  /** Whether these rules ignored the path, or a directory above it up to the root. */
  wasIgnored(root: string, path: string): boolean {
    const names = relative(root, path).split("/");
    let directory = root;
    return names.some((name, index) => {
      const rules = this.#nearest(directory);
      directory = join(directory, name);
      return rules !== undefined && this.isIgnored(directory, index < names.length - 1, rules);
    });
  }

  /** A directory that is newer than the scan had no rules of its own. */
  #nearest(directory: string): DirectoryRules | undefined {
    for (let at = directory; ; at = dirname(at)) {
      const rules = this.#directories.get(at);
      if (rules || dirname(at) === at) return rules;
    }
  }
}

function relativeTo(directory: string, path: string): string {
  return directory === "/" ? path.slice(1) : path.slice(directory.length + 1);
}

/** The file that git's configuration names, or its default. */
function globalFiles(env: Readonly<Record<string, string | undefined>>): string[] {
  const home = env.HOME || homedir();
  const config = env.XDG_CONFIG_HOME || join(home, ".config");
  for (const path of [join(home, ".gitconfig"), join(config, "git/config")]) {
    const named = /^\s*excludesfile\s*=\s*"?\s*(.*?)\s*"?\s*$/im.exec(textOrEmpty(path))?.[1];
    if (named) return [named.replace(/^~(?=\/)/, home)];
  }
  return [join(config, "git/ignore")];
}
