import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from "node:fs";
import { join, relative, sep } from "node:path";
import { errorCode, isInside, isMissing, isSystemError } from "@pintle/foundation";

export interface CoverageLimits {
  maxEntries: number;
  maxBytes: number;
}

const COVERAGE_LIMITS: CoverageLimits = { maxEntries: 10_000, maxBytes: 64 * 1024 * 1024 };

export interface CoveredFile {
  /** Relative to the project, with slashes. */
  path: string;
  /** Absent for entries that are not files: a dangling link, or a link to a folder that was already hashed. */
  realPath?: string;
  sha256: string;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Hashes the content of files and folders. Only reads names and bytes. Anything that cannot be identified by content (a link
 * out of the project, a pipe, an unreadable file) is an obstacle, because consent to it would be meaningless.
 */
export class CoveredFiles {
  readonly files: CoveredFile[] = [];
  /** Why consent cannot be bound to the content; undefined if it can. */
  obstacle: string | undefined;
  /** True if the project exceeds the limits. */
  isCut = false;
  readonly #root: string;
  readonly #limits: CoverageLimits;
  readonly #seen = new Set<string>();
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #entries = 0;
  #bytes = 0;

  /** `root` is the project's path with links resolved. */
  constructor(root: string, limits: CoverageLimits = COVERAGE_LIMITS) {
    this.#root = root;
    this.#limits = limits;
  }

  /** Adds a file or folder of the project. */
  add(path: string): void {
    const real = this.#resolve(path);
    if (real === undefined) return;
    if (isInside(this.#root, real)) this.#visit(path, real);
    else this.#hinder(path, "links outside the project");
  }

  /** Adds a path from the project's settings: part of the project, or a single file elsewhere. Other folders are not searched. */
  addNamed(path: string): void {
    if (isInside(this.#root, path)) {
      this.add(path);
      return;
    }
    const real = this.#resolve(path);
    if (real !== undefined && !this.#hashFile(path, real)) this.#hinder(path, "is a folder outside the project");
  }

  /** Adds a file whose content was already read. */
  addRead(path: string, sha256: string): void {
    this.files.push({ path: this.#nameOf(path), realPath: path, sha256 });
  }

  #visit(path: string, real: string): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.maxEntries) this.isCut = true;
    if (this.isCut || this.#hashFile(path, real)) return;
    const entries = this.#entriesOf(path, real);
    // Links may reach a folder several times or form a cycle; hash it once.
    if (entries && this.#seen.has(real)) this.#note(path, `the same as ${this.#nameOf(real)}`);
    if (!entries || this.#seen.has(real)) return;
    this.#seen.add(real);
    for (const entry of entries) {
      if (entry.isSymbolicLink()) this.add(join(path, entry.name));
      else this.#visit(join(path, entry.name), join(real, entry.name));
    }
  }

  #resolve(path: string): string | undefined {
    return this.#attempt(path, () => realpathSync.native(path));
  }

  #entriesOf(path: string, real: string): Dirent[] | undefined {
    return this.#attempt(path, () =>
      readdirSync(real, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  }

  /** Returns false for a folder. */
  #hashFile(path: string, real: string): boolean {
    const facts = this.#attempt(path, () => lstatSync(real));
    if (facts?.isDirectory()) return false;
    if (facts?.isFile()) this.#attempt(path, () => this.#openAndHash(path, real));
    else if (facts) this.#hinder(path, "is not a regular file");
    return true;
  }

  #openAndHash(path: string, real: string): void {
    // The file may have been replaced meanwhile: do not follow a link, and do not block on a pipe.
    const descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (fstatSync(descriptor).isFile()) this.#hashContent(path, real, descriptor);
      else this.#hinder(path, "is not a regular file");
    } finally {
      closeSync(descriptor);
    }
  }

  #hashContent(path: string, real: string, descriptor: number): void {
    const hasher = new Bun.CryptoHasher("sha256");
    for (;;) {
      const length = readSync(descriptor, this.#chunk, 0, CHUNK_BYTES, null);
      if (length === 0) break;
      this.#bytes += length;
      if (this.#bytes > this.#limits.maxBytes) {
        this.isCut = true;
        return;
      }
      hasher.update(this.#chunk.subarray(0, length));
    }
    this.files.push({ path: this.#nameOf(path), realPath: real, sha256: hasher.digest("hex") });
  }

  #note(path: string, text: string): void {
    this.files.push({ path: this.#nameOf(path), sha256: sha256(text) });
  }

  #nameOf(path: string): string {
    return relative(this.#root, path).split(sep).join("/");
  }

  #attempt<T>(path: string, step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      // Record a missing file like content. A name that is not valid UTF-8 exists but cannot be expressed.
      if (isMissing(error) && !path.includes("\uFFFD")) this.#note(path, "missing");
      else this.#hinder(path, `cannot be read (${errorCode(error)})`);
      return undefined;
    }
  }

  #hinder(path: string, reason: string): void {
    this.obstacle ??= `${this.#nameOf(path)} ${reason}`;
  }
}

/** Returns one digest for all files, independent of their order. */
export function digestOf(files: readonly Pick<CoveredFile, "path" | "sha256">[]): string {
  const rows = files.map(({ path, sha256 }) => JSON.stringify([path, sha256])).sort();
  return sha256(rows.join("\n"));
}

export function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}
