import { type BigIntStats, type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { errorCode, isMissing } from "@pintle/foundation";
import { hasSameContent } from "./same-content.ts";

/** A file or link that differs between the layer and the workspace. */
export interface LayerChange {
  /** Its absolute path in the workspace. */
  path: string;
  /** What the layer has there. */
  state: "file" | "symlink" | "deleted";
  /**
   * True if the workspace has there what it had when the layer was started. Otherwise the user or another program has changed it
   * since, or may have. A file that was deleted there is noticed only by a copy.
   */
  isBaseUnchanged: boolean;
}

export interface LayerChanges {
  /** Sorted by path. */
  changes: LayerChange[];
  /** Directories whose `.git` was changed. Such changes are never listed. */
  repositories: string[];
  /** Paths of what is neither a file nor a link, or has a name that is not valid text; it cannot be applied. */
  skipped: string[];
}

/** One directory of the workspace, and where its layer is. Paths that the comparison reads. */
export interface ComparedTree {
  /** The path in the workspace. */
  root: string;
  /** The layer's view of it. */
  merged: string;
  /** Only what the layer has changed; undefined if the layer is a copy. */
  upper?: string | undefined;
  /** Returns whether this file of a copy is as it was copied; undefined for an overlay. */
  isAsCopied?: ((path: string, stats: BigIntStats) => boolean) | undefined;
  /** Returns whether the workspace had this when it was copied. */
  wasCopied?: ((path: string) => boolean) | undefined;
  /** See `LayerFolder.startedAt`. */
  startedAt: bigint;
  /** Directories that do not belong to the workspace although they are in it. */
  excluded: readonly string[];
}

const REPOSITORY = ".git";

/** Compares the layer with the workspace as it is now. Reads only directories that the layer has changed, if it is an overlay. */
export function layerChanges(trees: readonly ComparedTree[]): LayerChanges {
  const walks = trees.map((tree) => new Walk(tree).run());
  return {
    changes: walks.flatMap(({ changes }) => changes).sort((a, b) => (a.path < b.path ? -1 : 1)),
    repositories: walks.flatMap(({ repositories }) => repositories),
    skipped: walks.flatMap(({ skipped }) => skipped),
  };
}

class Walk {
  readonly #tree: ComparedTree;
  readonly #found: LayerChanges = { changes: [], repositories: [], skipped: [] };

  constructor(tree: ComparedTree) {
    this.#tree = tree;
  }

  run(): LayerChanges {
    this.#directory("", true);
    return this.#found;
  }

  /** `isInWorkspace`: all directories above it are there as well, and are no links. */
  #directory(relative: string, isInWorkspace: boolean): void {
    const { merged, upper, root } = this.#tree;
    const inLayer = this.#entries(join(merged, relative), relative);
    if (!inLayer) return;
    const changed = upper === undefined ? inLayer : entries(join(upper, relative));
    const hasBase = isInWorkspace && statsOf(join(root, relative))?.isDirectory() === true;
    const inWorkspace = hasBase ? entries(join(root, relative)) : new Map<string, Dirent>();
    for (const name of inWorkspace.keys()) if (!inLayer.has(name)) this.#deleted(join(relative, name), true);
    // A name that the overlay has and its own view has not is a mark for something that was deleted.
    for (const name of changed.keys()) {
      const entry = inLayer.get(name);
      if (entry) this.#present(join(relative, name), entry, hasBase);
    }
  }

  #present(relative: string, entry: Dirent, hasBase: boolean): void {
    const { root, merged } = this.#tree;
    const path = join(root, relative);
    if (this.#isLeftOut(path, entry.name, relative)) return;
    const stats = statsOf(join(merged, relative));
    if (!stats) {
      this.#found.skipped.push(path); // its name is not valid text, so it cannot be looked up
      return;
    }
    const base = hasBase ? statsOf(path) : undefined;
    if (stats.isDirectory()) {
      if (base && !base.isDirectory()) this.#add(path, "deleted", base);
      this.#directory(relative, hasBase);
      return;
    }
    if (base?.isDirectory()) this.#below(relative, this.#isUnchanged(base));
    const state = stats.isSymbolicLink() ? "symlink" : "file";
    if (state === "file" && !stats.isFile()) this.#found.skipped.push(path);
    else if (!this.#isSame(relative, stats, base)) this.#add(path, state, base);
  }

  /** `isCertain`: it was in the layer, and was not moved to where it is with its directory since. */
  #deleted(relative: string, isCertain: boolean): void {
    const path = join(this.#tree.root, relative);
    if (this.#isLeftOut(path, relative.slice(relative.lastIndexOf("/") + 1), relative)) return;
    const base = statsOf(path);
    if (!base) return; // deleted in the meantime, or a name that is not valid text
    if (base.isDirectory()) this.#below(relative, isCertain && this.#isUnchanged(base));
    // What was added since the start was never in the layer.
    else if (this.#tree.wasCopied?.(path) ?? true) this.#add(path, "deleted", base, isCertain);
  }

  /** All files of the workspace's directory are gone in the layer. */
  #below(relative: string, isCertain: boolean): void {
    for (const name of entries(join(this.#tree.root, relative)).keys()) this.#deleted(join(relative, name), isCertain);
  }

  /** A command may have made a directory that even its owner cannot list. */
  #entries(path: string, relative: string): Map<string, Dirent> | undefined {
    try {
      return entries(path);
    } catch (error) {
      if (errorCode(error) !== "EACCES") throw error;
      this.#found.skipped.push(join(this.#tree.root, relative));
      return undefined;
    }
  }

  #isLeftOut(path: string, name: string, relative: string): boolean {
    if (this.#tree.excluded.includes(path)) return true;
    if (name.toLowerCase() !== REPOSITORY) return false;
    if (this.#isChangedRepository(relative)) this.#found.repositories.push(path.slice(0, -name.length - 1) || "/");
    return true;
  }

  /** In an overlay, only what was changed is there. A copy is asked for its files. */
  #isChangedRepository(relative: string): boolean {
    const { upper, merged, root, isAsCopied } = this.#tree;
    if (upper !== undefined) return true;
    const path = join(merged, relative);
    const stats = statsOf(path);
    if (!stats) return true;
    if (!stats.isDirectory()) return !isAsCopied?.(join(root, relative), stats);
    return [...entries(path).keys()].some((name) => this.#isChangedRepository(join(relative, name)));
  }

  /** A file may have been opened for writing, or touched, and still be the same. */
  #isSame(relative: string, stats: BigIntStats, base: BigIntStats | undefined): boolean {
    const { root, merged, isAsCopied } = this.#tree;
    const path = join(root, relative);
    if (isAsCopied?.(path, stats)) return true;
    if (!base || !this.#isUnchanged(base) || base.mode !== stats.mode) return false;
    if (stats.isSymbolicLink()) return readlinkSync(path) === readlinkSync(join(merged, relative));
    return base.size === stats.size && hasSameContent(path, join(merged, relative));
  }

  #isUnchanged(base: BigIntStats): boolean {
    return base.ctimeNs <= this.#tree.startedAt;
  }

  #add(path: string, state: LayerChange["state"], base: BigIntStats | undefined, isCertain = true): void {
    const isAsAtStart = base ? this.#isUnchanged(base) : !(this.#tree.wasCopied?.(path) ?? false);
    const isBaseUnchanged = isCertain && isAsAtStart;
    this.#found.changes.push({ path, state, isBaseUnchanged });
  }
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A directory may go away while it is read. */
function entries(path: string): Map<string, Dirent> {
  try {
    return new Map(readdirSync(path, { withFileTypes: true }).map((entry) => [entry.name, entry]));
  } catch (error) {
    if (isMissing(error)) return new Map();
    throw error;
  }
}
