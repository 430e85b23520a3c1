import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A policy's program is removed if it has not been used for this long. */
const UNUSED_MS = 7 * 86_400_000;
/** A program in use renews its modification time at least this often. */
const RENEW_MS = 86_400_000;

/**
 * Stores the programs that confine commands as files in pintle's own directory: one per policy, named by its content.
 * Commands cannot write there.
 */
export class ExecFiles {
  readonly #directory: string;
  readonly #known = new Map<string, { path: Promise<string>; since: number }>();

  #emptyDirectory: Promise<string> | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  program(image: Uint8Array): Promise<string> {
    return this.#file("exec", image, 0o500);
  }

  emptyFile(): Promise<string> {
    return this.#file("empty", new Uint8Array(0), 0o400);
  }

  /** Mounted over hidden directories. Read-only, so that nothing can be added from outside either. */
  emptyDirectory(): Promise<string> {
    const path = join(this.#directory, "empty");
    this.#emptyDirectory ??= mkdir(path, { recursive: true, mode: 0o500 }).then(() => path);
    this.#emptyDirectory.catch(() => {
      this.#emptyDirectory = undefined; // the disk may have space again at the next command
    });
    return this.#emptyDirectory;
  }

  #file(kind: string, content: Uint8Array, mode: number): Promise<string> {
    const digest = new Bun.CryptoHasher("sha256").update(content).digest("hex").slice(0, 32);
    const name = `${kind}-${digest}`;
    const known = this.#known.get(name);
    if (known && Date.now() - known.since < RENEW_MS) return known.path;
    const path = this.#write(name, content, mode);
    this.#known.set(name, { path, since: Date.now() });
    path.catch(() => this.#known.delete(name));
    return path;
  }

  async #write(name: string, content: Uint8Array, mode: number): Promise<string> {
    const path = join(this.#directory, name);
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const isThere = await readFile(path).then(
      (found) => Buffer.compare(found, content) === 0,
      () => false,
    );
    if (isThere) {
      await utimes(path, new Date(), new Date());
    } else {
      // Complete before it gets its name, because another pintle may start it at any moment.
      const draft = `${path}.${process.pid}.${crypto.randomUUID()}`;
      await writeFile(draft, content, { mode: 0o600, flag: "wx" });
      await chmod(draft, mode);
      await rename(draft, path);
    }
    await this.#removeUnused(Date.now() - UNUSED_MS);
    return path;
  }

  async #removeUnused(before: number): Promise<void> {
    const names = (await readdir(this.#directory)).filter((name) => /^(exec|empty)-/.test(name));
    for (const name of names) {
      const path = join(this.#directory, name);
      const used = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => Number.POSITIVE_INFINITY,
      );
      if (used < before) await rm(path, { force: true });
    }
  }
}
