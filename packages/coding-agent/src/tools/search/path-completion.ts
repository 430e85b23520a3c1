import fs from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { CompletedPath } from "@pintle/wire";
import { expandHome } from "../../files/expand-home.ts";
import { isSystemError } from "../../files/system-error.ts";
import { fuzzyScore, toNeedle } from "./fuzzy-score.ts";
import { listFiles } from "./list-files.ts";
import type { SearchContext } from "./ripgrep-run.ts";

/** More than this are not held; the first in path order are. */
const MAX_FILES = 200_000;
/** A person types a few letters in this time; afterwards files may be others. */
const FRESH_MS = 5_000;
/** What is not asked for any more is not kept. */
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

/** Completes paths for a person who types. One listing of the directory serves the letters of one word. */
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
      // What failed is tried again with the next letter.
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
    const { signal } = new AbortController(); // ripgrep has a limit of its own
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
      if (directories.has(directory)) break; // and so are those above it
      directories.add(directory);
    }
  }
  return directories;
}

/** The best so far are held in order; of 100,000 few get in. */
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

/** A place that the query names, outside of the session's directory: its own entries, no deeper. */
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
    if (isSystemError(error)) return []; // there is no such place, or it may not be looked at
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
