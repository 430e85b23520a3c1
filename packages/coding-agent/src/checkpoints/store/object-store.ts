import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "@pintle/foundation";
import { PackIndex, PackWriter } from "./packs.ts";

export function objectId(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A pack of single objects is closed at this size, so that it can be removed once nothing refers to it. */
const MAX_PACK_BYTES = 32 * 1024 * 1024;

/**
 * Stores bytes under their hash. Many objects share a file, a pack, because creating a file takes longer than writing its bytes.
 * What was written never changes and each pack has one writer, so processes share a store without a lock.
 */
export class ObjectStore {
  readonly #packs: PackIndex;
  /** Takes the objects of file tools, one by one. */
  #writer: PackWriter | undefined;
  #descriptor: { path: string; fd: number } | undefined;

  constructor(directory: string) {
    this.#packs = new PackIndex(join(directory, "packs"));
  }

  /** When this returns, the operating system has the bytes. */
  put(bytes: Uint8Array): string {
    if (this.#writer && (this.#writer.bytes > MAX_PACK_BYTES || !this.#writer.isThere)) this.#endWriter();
    this.#writer ??= new PackWriter(this.#packs);
    const id = this.#writer.add(bytes);
    this.#writer.commit();
    return id;
  }

  /** Collects the objects of a scan. They can be read once it was committed. */
  openPack(): PackWriter {
    this.#packs.refresh();
    return new PackWriter(this.#packs);
  }

  /** Returns undefined if the object is missing or damaged. */
  get(id: string): Uint8Array | undefined {
    const bytes = this.#read(id);
    return bytes && objectId(bytes) === id ? bytes : undefined;
  }

  close(): void {
    this.#endWriter();
    this.#closeDescriptor();
  }

  #read(id: string): Uint8Array | undefined {
    let found = this.#packs.find(id);
    if (!found) {
      this.#packs.forget(); // another process may have added it
      found = this.#packs.find(id);
    }
    if (!found) return undefined;
    try {
      if (this.#descriptor?.path !== found.pack) {
        this.#closeDescriptor();
        this.#descriptor = { path: found.pack, fd: openSync(found.pack, "r") };
      }
      const bytes = Buffer.alloc(found.length);
      return readSync(this.#descriptor.fd, bytes, 0, found.length, found.offset) === found.length ? bytes : undefined;
    } catch (error) {
      if (isSystemError(error)) return undefined; // the pack was removed in the meantime
      throw error;
    }
  }

  #endWriter(): void {
    this.#writer?.close();
    this.#writer = undefined;
  }

  #closeDescriptor(): void {
    if (this.#descriptor) closeSync(this.#descriptor.fd);
    this.#descriptor = undefined;
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
