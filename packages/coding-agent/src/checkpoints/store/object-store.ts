import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, isSystemError, PRIVATE_DIRECTORY, PRIVATE_FILE } from "@pintle/foundation";
import { PackIndex, PackWriter } from "./packs.ts";

export function objectId(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const ID = /^[0-9a-f]{64}$/;

/**
 * Stores bytes under their hash. A single object is a file of its own, and the objects of a scan share one file, because
 * creating ten thousand files takes longer than writing their bytes. Nothing is ever changed in place, so processes share a
 * store without a lock, and a killed one leaves at most a temporary file.
 */
export class ObjectStore {
  readonly #directory: string;
  readonly #packs: PackIndex;
  #descriptor: { path: string; fd: number } | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    this.#packs = new PackIndex(join(directory, "packs"));
  }

  put(bytes: Uint8Array): string {
    const id = objectId(bytes);
    const path = this.#pathOf(id);
    if (existsSync(path) || this.#packs.find(id)) return id;
    const temporary = join(this.#directory, `.${crypto.randomUUID()}.tmp`);
    writeNew(temporary, bytes);
    try {
      renameSync(temporary, path);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY });
      renameSync(temporary, path);
    }
    return id;
  }

  /** Collects the objects of a scan. They can be read once `commit` has returned. */
  openPack(): PackWriter {
    return new PackWriter(this.#packs, (id) => this.has(id));
  }

  has(id: string): boolean {
    return ID.test(id) && (this.#packs.find(id) !== undefined || existsSync(this.#pathOf(id)));
  }

  /** Returns undefined if the object is missing or damaged. */
  get(id: string): Uint8Array | undefined {
    if (!ID.test(id)) return undefined;
    const bytes = this.#readPacked(id) ?? readIfThere(this.#pathOf(id));
    return bytes && objectId(bytes) === id ? bytes : undefined;
  }

  close(): void {
    if (this.#descriptor) closeSync(this.#descriptor.fd);
    this.#descriptor = undefined;
  }

  #readPacked(id: string): Uint8Array | undefined {
    const found = this.#packs.find(id) ?? this.#packs.findAgain(id);
    if (!found) return undefined;
    try {
      if (this.#descriptor?.path !== found.pack) {
        this.close();
        this.#descriptor = { path: found.pack, fd: openSync(found.pack, "r") };
      }
      const bytes = Buffer.alloc(found.length);
      return readSync(this.#descriptor.fd, bytes, 0, found.length, found.offset) === found.length ? bytes : undefined;
    } catch (error) {
      if (isSystemError(error)) return undefined; // the pack was removed in the meantime
      throw error;
    }
  }

  #pathOf(id: string): string {
    return join(this.#directory, "objects", id.slice(0, 2), id.slice(2));
  }
}

/** Writes a file that does not exist yet. */
export function writeNew(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, "wx", PRIVATE_FILE);
  try {
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
  } finally {
    closeSync(fd);
  }
}

export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
