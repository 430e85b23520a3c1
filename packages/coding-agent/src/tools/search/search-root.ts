import { statSync } from "node:fs";
import { join } from "node:path";
import { canonicalPath, isSystemError } from "@pintle/foundation";
import { displayPath, resolveToolPath } from "../shared/paths.ts";
import type { ToolContext } from "../tool-context.ts";

export interface SearchRoot {
  path: string;
  /** The path with links resolved. */
  real: string;
  isDirectory: boolean;
}

/** Returns where to search. Throws an Error for the model if it cannot be searched. */
export function searchRoot(path: string | undefined, cwd: string): SearchRoot {
  const absolute = path === undefined ? cwd : resolveToolPath(path, cwd);
  const facts = statSync(absolute, { throwIfNoEntry: false });
  if (!facts) throw new Error(`Path not found: ${displayPath(absolute, cwd)}`);
  // Reading a pipe or a device might never end.
  if (!facts.isDirectory() && !facts.isFile()) {
    throw new Error(`Not a file or directory: ${displayPath(absolute, cwd)}`);
  }
  return { path: absolute, real: canonicalPath(absolute), isDirectory: facts.isDirectory() };
}

/** Hides protected files from a search. A file that the call itself names is already approved. */
export class HiddenHits {
  /** Notes that files may be missing. Independent of what was found, so that it reveals nothing about their content. */
  readonly notices: readonly string[];
  readonly #root: SearchRoot;
  readonly #isHidden: (real: string) => boolean;

  constructor(tool: string, root: SearchRoot, { approved }: Pick<ToolContext, "approved">) {
    this.#root = root;
    this.#isHidden = (real) => root.isDirectory && approved?.hides(tool, real) === true;
    const mayHide = root.isDirectory && approved?.mayHideBelow(tool, root.real) === true;
    this.notices = mayHide ? ["[Protected files, and files that permission rules deny, are omitted.]"] : [];
  }

  /** Whether results may show a path. Takes the path as the search reports it. */
  has(path: string): boolean {
    return this.#isHidden(join(this.#root.real, path.slice(this.#root.path.length)));
  }

  /** Like `has`, for file content: also checks that no directory was replaced by a link since the search. */
  hasContentOf(path: string): boolean {
    return this.has(path) || (this.#root.isDirectory && !this.#isInPlace(path));
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
