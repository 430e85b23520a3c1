import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { look } from "./file-states.ts";

/** The files of a checkout, as paths relative to its top folder. */
export interface CheckoutFiles {
  /** Regular files and symbolic links. */
  present: Map<string, Stats>;
  /** Tracked paths at which there is no file. */
  gone: string[];
  /** Tracked paths at which there is a folder: submodules, and files that a folder has replaced. */
  folders: string[];
  /** Folders that are separate repositories, which git does not enter. */
  nested: string[];
}

/** How many files to examine before yielding to other work. */
const BATCH = 1_000;

/** Classifies the paths that git listed by their current content. Never follows a link. */
export async function examine(root: string, listed: Iterable<string>, signal?: AbortSignal): Promise<CheckoutFiles> {
  const found: CheckoutFiles = { present: new Map(), gone: [], folders: [], nested: [] };
  const folders = new Map<string, boolean>([[".", true]]);
  let count = 0;
  for (const path of new Set(listed)) {
    count += 1;
    if (count % BATCH === 0) {
      signal?.throwIfAborted();
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (path.endsWith("/")) found.nested.push(path.slice(0, -1));
    else {
      const stats = isFolder(root, dirname(path), folders) ? look(join(root, path)) : undefined;
      if (stats?.isFile() || stats?.isSymbolicLink()) found.present.set(path, stats);
      else if (stats?.isDirectory()) found.folders.push(path);
      else found.gone.push(path);
    }
  }
  return found;
}

/** Whether a path is a folder and leads through folders only, so that no link leads elsewhere. */
function isFolder(root: string, path: string, known: Map<string, boolean>): boolean {
  let is = known.get(path);
  if (is === undefined) {
    is = isFolder(root, dirname(path), known) && look(join(root, path))?.isDirectory() === true;
    known.set(path, is);
  }
  return is;
}
