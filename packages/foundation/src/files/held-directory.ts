import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { canonicalPath } from "./canonical-path.ts";
import { errorCode, isMissing } from "./system-error.ts";

/**
 * The path no longer leads where it did when it was checked, because the file or one of its directories was replaced.
 */
export class PathExchangedError extends Error {
  constructor(path: string) {
    super(`${path} leads to another file now than when the call was allowed; nothing was done.`);
  }
}

/** Opens only a starting point: the directory need not be readable. Linux, on every architecture that Bun supports. */
const O_PATH = 0o10000000;
const isLinux = process.platform === "linux";

/**
 * Makes an open fail if any component of the path is a link. Linux has no such flag for `open`; there the path of the opened file
 * is compared instead.
 */
export const NO_LINKS = process.platform === "darwin" ? 0x20000000 : constants.O_NOFOLLOW;

/** Throws PathExchangedError unless this descriptor is the file at exactly this path, without links. */
export function requireOpenedAt(fd: number, real: string, shownPath: string): void {
  const found = isLinux ? readlinkSync(`/proc/self/fd/${fd}`) : canonicalPath(real);
  if (found !== real) throw new PathExchangedError(shownPath);
}

/**
 * A directory that stays the same whatever happens to its name, so that a program that replaces directories and links cannot
 * redirect a tool between the check of a path and its use. On Linux it uses a descriptor and names below it. Elsewhere the path
 * is compared again before each step, which leaves a short race.
 */
export class HeldDirectory {
  readonly real: string;
  readonly #shownPath: string;
  readonly #fd: number | undefined;

  private constructor(real: string, shownPath: string, fd: number | undefined) {
    this.real = real;
    this.#shownPath = shownPath;
    this.#fd = fd;
  }

  /** `real` is a path without links. Throws system errors, and PathExchangedError if the path contains a link by now. */
  static open(real: string, shownPath: string, options: { create?: boolean } = {}): HeldDirectory {
    try {
      return HeldDirectory.#openAt(real, real, shownPath);
    } catch (error) {
      if (!options.create || !isMissing(error) || dirname(real) === real) throw error;
    }
    const above = HeldDirectory.open(dirname(real), shownPath, options);
    try {
      const path = above.pathOf(basename(real));
      makeDirectory(path);
      return HeldDirectory.#openAt(path, real, shownPath);
    } finally {
      above.close();
    }
  }

  static #openAt(path: string, real: string, shownPath: string): HeldDirectory {
    if (!isLinux) {
      const held = new HeldDirectory(real, shownPath, undefined);
      held.check();
      lstatSync(real); // throws if the directory does not exist
      return held;
    }
    const fd = openDirectory(path, shownPath);
    try {
      requireOpenedAt(fd, real, shownPath);
      return new HeldDirectory(real, shownPath, fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Returns the path for using a file in the directory. Never follow a link there: use `O_NOFOLLOW`, `lstat` or `rename`. */
  pathOf(name: string): string {
    return this.#fd === undefined ? join(this.real, name) : `/proc/self/fd/${this.#fd}/${name}`;
  }

  /** Throws PathExchangedError if the directory is no longer at its path. Call this right before a change. */
  check(): void {
    if (this.#fd !== undefined) requireOpenedAt(this.#fd, this.real, this.#shownPath);
    else if (canonicalPath(this.real) !== this.real) throw new PathExchangedError(this.#shownPath);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

function openDirectory(path: string, shownPath: string): number {
  try {
    return openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    // Returns whether a link is in place of the directory. A file there causes the same error code but is not an
    // attack.
    if (errorCode(error) === "ENOTDIR" && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new PathExchangedError(shownPath);
    throw error;
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error; // another program was faster, and opening reports what it created
  }
}
