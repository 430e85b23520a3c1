import { type BigIntStats, type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { errorCode, isMissing } from "@pintle/foundation";
import { hasSameContent } from "./same-content.ts";

/** A file or link that differs between the layer and the workspace. */
export interface LayerChange {
  /** Its absolute path in the workspace. */
  path: string;
  /** The state in the layer. */
  state: "file" | "symlink" | "deleted";
  /**
   * True if the workspace's file is unchanged since the layer was started. Otherwise the user or another program has changed it,
   * or may have. Only a copy notices that a file was deleted in the workspace.
   */
  isBaseUnchanged: boolean;
}

export interface LayerChanges {
  /** Sorted by path. */
  changes: LayerChange[];
  /** Directories whose `.git` was changed. Such changes are never listed. */
  repositories: string[];
  /**
   * Paths that cannot be applied, because they are neither a file nor a link, or have a name that is not valid text.
   */
  skipped: string[];
}

/** One directory of the workspace and its layer, as the paths that the comparison reads. */
export interface ComparedTree {
  /** The path in the workspace. */
  root: string;
  /** The layer's view of it. */
  merged: string;
  /** The directory with only the changes of the layer; undefined if the layer is a copy. */
  upper?: string | undefined;
  /** Returns whether this file of a copy is unchanged since it was copied; undefined for an overlay. */
  isAsCopied?: ((path: string, stats: BigIntStats) => boolean) | undefined;
  /** Returns whether the workspace had this path when it was copied. */
  wasCopied?: ((path: string) => boolean) | undefined;
  /** See `LayerFolder.startedAt`. */
  startedAt: bigint;
  /** Directories inside the workspace that do not belong to it. */
  excluded: readonly string[];
}

const REPOSITORY = ".git";

/** Compares the layer with the current workspace. For an overlay, reads only directories that the layer has changed. */
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

  /** `isInWorkspace`: all directories above it exist in the workspace too, and are not links. */
  #directory(relative: string, isInWorkspace: boolean): void {
    const { merged, upper, root } = this.#tree;
    const inLayer = this.#entries(join(merged, relative), relative);
    if (!inLayer) return;
    const changed = upper === undefined ? inLayer : entries(join(upper, relative));
    const hasBase = isInWorkspace && statsOf(join(root, relative))?.isDirectory() === true;
    const inWorkspace = hasBase ? entries(join(root, relative)) : new Map<string, Dirent>();
    for (const name of inWorkspace.keys()) if (!inLayer.has(name)) this.#deleted(join(relative, name), true);
    // A name that is in the overlay but not in its view marks a deleted file.
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

  /** `isCertain`: it was in the layer, and has not been moved to its place together with its directory. */
  #deleted(relative: string, isCertain: boolean): void {
    const path = join(this.#tree.root, relative);
    if (this.#isLeftOut(path, relative.slice(relative.lastIndexOf("/") + 1), relative)) return;
    const base = statsOf(path);
    if (!base) return; // deleted in the meantime, or a name that is not valid text
    if (base.isDirectory()) this.#below(relative, isCertain && this.#isUnchanged(base));
    // Files added since the start were never in the layer.
    else if (this.#tree.wasCopied?.(path) ?? true) this.#add(path, "deleted", base, isCertain);
  }

  /** The layer has deleted all files in the workspace's directory. */
  #below(relative: string, isCertain: boolean): void {
    for (const name of entries(join(this.#tree.root, relative)).keys()) this.#deleted(join(relative, name), isCertain);
  }

  /** A command may have created a directory that even its owner cannot list. */
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

  /** An overlay contains only what was changed. For a copy, its list of files decides. */
  #isChangedRepository(relative: string): boolean {
    const { upper, merged, root, isAsCopied } = this.#tree;
    if (upper !== undefined) return true;
    const path = join(merged, relative);
    const stats = statsOf(path);
    if (!stats) return true;
    if (!stats.isDirectory()) return !isAsCopied?.(join(root, relative), stats);
    return [...entries(path).keys()].some((name) => this.#isChangedRepository(join(relative, name)));
  }

  /** A file may have been opened for writing, or touched, and still have the same content. */
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
