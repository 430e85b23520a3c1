import fs from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { expandHome, isSystemError } from "@pintle/foundation";
import type { CompletedPath } from "@pintle/wire";
import { listFiles } from "./list-files.ts";
import type { SearchContext } from "./ripgrep-run.ts";

/** Keeps only the first paths in path order. */
const MAX_FILES = 200_000;
/** Long enough to type a few letters. After that, the files may have changed. */
const FRESH_MS = 5_000;
/** Listings that are no longer used are released after this time. */
const KEPT_MS = 60_000;
const DEFAULT_LIMIT = 20;

export interface PathCompletionParts extends SearchContext {
  cwd(): string;
}

interface Listing {
  cwd: string;
  madeAt: number;
  found: Promise<{ paths: string[]; isComplete: boolean }>;
}

export interface Completion {
  paths: CompletedPath[];
  isComplete: boolean;
}

/** Completes paths while the user types. All letters of a word use one listing of the directory. */
export class PathCompletion {
  readonly #parts: PathCompletionParts;
  #listing: Listing | undefined;
  #forget: NodeJS.Timeout | undefined;

  constructor(parts: PathCompletionParts) {
    this.#parts = parts;
  }

  async complete(query: string, limit: number = DEFAULT_LIMIT): Promise<Completion> {
    if (/^(\/|~|\.\.(\/|$))/.test(query)) return listPlace(query, this.#parts.cwd(), limit);
    const { paths, isComplete } = await this.#list();
    return { paths: best(query.replace(/^\.\//, ""), paths, limit), isComplete };
  }

  #list(): Listing["found"] {
    const cwd = this.#parts.cwd();
    const now = performance.now();
    if (this.#listing?.cwd !== cwd || now - this.#listing.madeAt > FRESH_MS) {
      const found = this.#read(cwd);
      const listing = { cwd, madeAt: now, found };
      this.#listing = listing;
      // A failed listing is retried with the next letter.
      found.catch(() => {
        if (this.#listing === listing) this.#listing = undefined;
      });
    }
    clearTimeout(this.#forget);
    this.#forget = setTimeout(() => {
      this.#listing = undefined;
    }, KEPT_MS);
    this.#forget.unref();
    return this.#listing.found;
  }

  async #read(cwd: string): Listing["found"] {
    const { signal } = new AbortController(); // ripgrep has its own limit
    const listing = await listFiles(this.#parts, { roots: [cwd], limit: MAX_FILES, signal, skipsNodeModules: true });
    const files = listing.paths.map((path) => path.slice(cwd.length + 1));
    return { paths: [...directoriesOf(files), ...files], isComplete: !listing.isCut && !listing.hasTimedOut };
  }
}

function directoriesOf(files: readonly string[]): Set<string> {
  const directories = new Set<string>();
  for (const file of files) {
    for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
      const directory = file.slice(0, at + 1);
      if (directories.has(directory)) break; // its parents are known too
      directories.add(directory);
    }
  }
  return directories;
}

/** Keeps the best results sorted. Of 100,000 paths only a few are inserted. */
function best(query: string, paths: readonly string[], limit: number): CompletedPath[] {
  const needle = toNeedle(query);
  const held: { path: string; score: number }[] = [];
  for (const path of paths) {
    const score = query === "" ? -depth(path) * 1000 - path.length * 0.1 : fuzzyScore(needle, path);
    if (score === undefined) continue;
    const last = held.at(-1);
    if (held.length >= limit && last && score <= last.score) continue;
    const place = held.findIndex((other) => score > other.score || (score === other.score && path < other.path));
    held.splice(place === -1 ? held.length : place, 0, { path, score });
    if (held.length > limit) held.pop();
  }
  return held.map(({ path }) => ({ path, isDirectory: path.endsWith("/") }));
}

function depth(path: string): number {
  return path.slice(0, -1).split("/").length;
}

/** Lists the entries of a directory that the query names outside the session's directory, without descending. */
async function listPlace(query: string, cwd: string, limit: number): Promise<Completion> {
  const typed = query === "~" || query === ".." ? `${query}/` : query;
  const cut = typed.lastIndexOf("/") + 1;
  const [shown, name] = [typed.slice(0, cut), typed.slice(cut)];
  const directory = resolve(cwd, expandHome(shown, process.env.HOME || homedir()));
  const entries = await namesIn(directory);
  const visible = entries.filter((entry) => name.startsWith(".") || !entry.startsWith("."));
  return {
    paths: best(name, visible, limit).map((found) => ({ ...found, path: shown + found.path })),
    isComplete: true,
  };
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    const entries = await fs.promises.readdir(directory, { withFileTypes: true });
    return await Promise.all(
      entries.map(async (entry) => {
        const isLink = entry.isSymbolicLink();
        const isDirectory = isLink ? await leadsToDirectory(join(directory, entry.name)) : entry.isDirectory();
        return isDirectory ? `${entry.name}/` : entry.name;
      }),
    );
  } catch (error) {
    if (isSystemError(error)) return []; // missing or not readable
    throw error;
  }
}

async function leadsToDirectory(path: string): Promise<boolean> {
  try {
    return (await fs.promises.stat(path)).isDirectory();
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

const SLASH = 0x2f;
/** Character codes after which a new word starts: / _ - . and space. */
const SEPARATORS: ReadonlySet<number> = new Set([SLASH, 0x5f, 0x2d, 0x2e, 0x20]);

/** The query, in lower case unless the user typed a capital letter. */
interface Needle {
  text: string;
  isExactCase: boolean;
}

function toNeedle(query: string): Needle {
  const isExactCase = query !== query.toLowerCase();
  return { text: isExactCase ? query : query.toLowerCase(), isExactCase };
}

/**
 * Scores how well a path matches; higher is better. Returns undefined unless all letters occur in the path in order. The
 * file name weighs most: a match of all of it, of its beginning, consecutive letters, and letters at the start of words.
 * Shorter paths break ties.
 */
function fuzzyScore({ text, isExactCase }: Needle, path: string): number | undefined {
  const hay = isExactCase ? path : path.toLowerCase();
  const end = hay.endsWith("/") ? hay.length - 1 : hay.length;
  const base = hay.lastIndexOf("/", end - 1) + 1;
  const inBase = text.includes("/") ? undefined : scoreFrom(text, hay, base, end);
  const score = inBase === undefined ? scoreFrom(text, hay, 0, end) : inBase + 100;
  if (score === undefined) return undefined;
  const name = hay.slice(base, end);
  const whole =
    name === text ? 200 : name.startsWith(text) ? 80 : name.includes(text) ? 40 : hay.includes(text) ? 20 : 0;
  return score + whole - path.length * 0.1;
}

function scoreFrom(text: string, hay: string, start: number, end: number): number | undefined {
  let score = 0;
  let at = start;
  let last = -2;
  for (let index = 0; index < text.length; index += 1) {
    at = hay.indexOf(text[index]!, at);
    if (at === -1 || at >= end) return undefined;
    if (at === last + 1) score += 5;
    if (at === start || SEPARATORS.has(hay.charCodeAt(at - 1))) score += 8;
    last = at;
    at += 1;
  }
  return score;
}
