import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside, isSystemError, realPath } from "@pintle/foundation";

export interface FolderView {
  path: string;
  /** Sorted names of its entries, except hidden ones. */
  names: readonly string[];
  depth: number;
}

interface WalkOptions {
  /** Directory that links must not leave. */
  within?: string | undefined;
  maxFolders: number;
  maxDepth: number;
  /** Called for a folder outside that directory, which is not entered. */
  onLeaving(path: string): void;
  /** Returns whether to descend into this folder. */
  enter(folder: FolderView): boolean;
}

const SKIPPED = new Set(["node_modules"]);

/** Visits a folder and all folders below it once each, even if links form cycles or lead to a folder several times. */
export function* walkFolders(root: string, options: WalkOptions): Generator<FolderView> {
  const seen = new Set<string>();
  const open = [{ path: root, depth: 0 }];
  for (let next = open.shift(); next && seen.size < options.maxFolders; next = open.shift()) {
    const { path, depth } = next;
    const real = realPath(path);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    if (options.within !== undefined && !isInside(options.within, real)) {
      options.onLeaving(path);
      continue;
    }
    const entries = entriesOf(path);
    const folder = { path, names: entries.map(({ name }) => name), depth };
    yield folder;
    if (depth >= options.maxDepth || !options.enter(folder)) continue;
    const below = entries.filter((entry) => !SKIPPED.has(entry.name) && isFolder(entry, join(path, entry.name)));
    open.unshift(...below.map(({ name }) => ({ path: join(path, name), depth: depth + 1 })));
  }
}

/** Returns undefined if the folder does not exist or cannot be entered. */
export function kindOf(path: string): "file" | "folder" | undefined {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts?.isDirectory() ? "folder" : facts?.isFile() ? "file" : undefined;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

function isFolder(entry: Dirent, path: string): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && kindOf(path) === "folder");
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith("."))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}
