import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../database/database.ts";

/** Images by their content: as files where engines look for them, as rows for the other nodes. */
export class Blobs {
  readonly #database: Database;
  readonly #directory: string;
  /** Known to be in the table. */
  readonly #stored = new Set<string>();

  constructor(database: Database, directory: string) {
    this.#database = database;
    this.#directory = directory;
  }

  /** Stores those that are not yet; gives back all that are there. Rejects with StoreError. */
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

  /** They have been removed from the table: they are looked for again. */
  forget(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#stored.delete(hash);
  }

  /** Writes the files that a session names and that are not here. */
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

  /** Of any node's session; undefined if it was never stored. Rejects with StoreError. */
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
      return undefined; // not one of our images: a string that looks like the name of one
    }
  }

  /** There completely, or not at all. */
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
