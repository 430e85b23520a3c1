import { join } from "node:path";
import { canonicalPath } from "../../files/canonical-path.ts";
import { isSystemError } from "../../files/system-error.ts";
import type { ToolContext } from "../tool-context.ts";
import type { SearchRoot } from "./search-root.ts";

/** Leaves out what a search finds and must not show, and counts it. A file that the call itself names was decided on. */
export class HiddenHits {
  readonly #found = new Set<string>();
  readonly #root: SearchRoot;
  readonly #isHidden: (real: string) => boolean;

  constructor(tool: string, root: SearchRoot, { approved }: Pick<ToolContext, "approved">) {
    this.#root = root;
    this.#isHidden = (real) => root.isDirectory && approved?.hides(tool, real) === true;
  }

  /** By the path as the search names it. */
  has(path: string): boolean {
    const isHidden = this.#isHidden(join(this.#root.real, path.slice(this.#root.path.length)));
    if (isHidden) this.#found.add(path);
    return isHidden;
  }

  /** As `has`, for a file whose content is shown: a directory that was exchanged for a link meanwhile may have led elsewhere. */
  hasContentOf(path: string): boolean {
    if (this.has(path)) return true;
    if (!this.#root.isDirectory || this.#isInPlace(path)) return false;
    this.#found.add(path);
    return true;
  }

  get notices(): string[] {
    const count = this.#found.size;
    if (count === 0) return [];
    return [
      `[${count === 1 ? "1 file is" : `${count} files are`} left out: protected, or kept back by a permission rule.]`,
    ];
  }

  #isInPlace(path: string): boolean {
    try {
      return canonicalPath(path) === join(this.#root.real, path.slice(this.#root.path.length));
    } catch (error) {
      if (isSystemError(error)) return false;
      throw error;
    }
  }
}
