import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { CommandError } from "../frames/command-error.ts";

/** The directories that hosts may use. Compares real paths, after following links. */
export class Roots {
  readonly #roots: readonly string[];

  /** The first root is the default directory of sessions. Throws if a root does not exist. */
  constructor(roots: readonly string[]) {
    this.#roots = roots.map((root) => realpathSync(root));
  }

  get first(): string {
    return this.#roots[0]!;
  }

  get all(): readonly string[] {
    return this.#roots;
  }

  has(realPath: string): boolean {
    return this.#roots.some((root) => {
      const inside = relative(root, realPath);
      return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside));
    });
  }

  /**
   * Returns the real path of what a host names, relative to `from`, or undefined if there is nothing of that name
   * inside the roots.
   */
  find(path: string, from: string): string | undefined {
    const real = realPathOf(resolve(from, path));
    return real !== undefined && this.has(real) ? real : undefined;
  }

  /** Returns the real path of a directory inside the roots. Throws CommandError. */
  directory(path: string): string {
    const real = realPathOf(resolve(this.first, path));
    // Report paths outside the roots and missing paths in the same way, so that hosts cannot probe for files.
    if (real === undefined || !this.has(real)) throw notAllowed(path);
    if (!statSync(real).isDirectory()) throw new CommandError("invalid_request", `${path} is not a directory`);
    return real;
  }
}

export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

export function notAllowed(path: string): CommandError {
  return new CommandError("not_allowed", `${path} is not a directory inside the roots of this server`);
}
