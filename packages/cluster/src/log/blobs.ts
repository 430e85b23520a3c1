import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../database/database.ts";

/** Stores images by their content: as files for engines, and as rows for other nodes. */
export class Blobs {
  readonly #database: Database;
  readonly #directory: string;
  /** Hashes that are known to be in the table. */
  readonly #stored = new Set<string>();

  constructor(database: Database, directory: string) {
    this.#database = database;
    this.#directory = directory;
  }

  /** Stores the images that are not stored yet, and returns all existing ones. Rejects with StoreError. */
  async store(hashes: Iterable<string>): Promise<string[]> {
    const there: string[] = [];
    for (const hash of hashes) {
      const bytes = this.#stored.has(hash) ? undefined : this.#read(hash);
      if (bytes) {
        await this.#database.query("INSERT INTO pintle.blobs (hash, content) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
          hash,
          bytes,
        ]);
        this.#stored.add(hash);
      }
      if (this.#stored.has(hash)) there.push(hash);
    }
    return there;
  }

  /** Forgets images that were removed from the table, so that they are checked again. */
  forget(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#stored.delete(hash);
  }

  /** Writes the files that a session refers to and that are missing here. */
  async fetch(sessionId: string): Promise<void> {
    const rows = await this.#database.query<{ hash: string }>(
      "SELECT hash FROM pintle.blob_uses WHERE session_id = $1",
      [sessionId],
    );
    for (const { hash } of rows) {
      this.#stored.add(hash);
      if (existsSync(join(this.#directory, hash))) continue;
      const content = await this.find(hash);
      if (content) this.#write(hash, content);
    }
  }

  /** Returns an image of any node's session, or undefined if it was never stored. Rejects with StoreError. */
  async find(hash: string): Promise<Uint8Array | undefined> {
    const [blob] = await this.#database.query<{ content: Uint8Array }>(
      "SELECT content FROM pintle.blobs WHERE hash = $1",
      [hash],
    );
    return blob?.content;
  }

  #read(hash: string): Uint8Array | undefined {
    try {
      const bytes = readFileSync(join(this.#directory, hash));
      return hashOf(bytes) === hash ? bytes : undefined;
    } catch {
      return undefined; // not one of our images, only a string that looks like its name
    }
  }

  /** Writes a file completely or not at all. */
  #write(hash: string, bytes: Uint8Array): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const temporary = join(this.#directory, `.${hash}.${crypto.randomUUID()}.tmp`);
    try {
      writeFileSync(temporary, bytes, { mode: 0o600 });
      renameSync(temporary, join(this.#directory, hash));
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}

function hashOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
