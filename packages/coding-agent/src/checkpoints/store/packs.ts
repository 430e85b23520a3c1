import { createHash } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isSystemError, PRIVATE_DIRECTORY, PRIVATE_FILE } from "@pintle/foundation";

export interface PackedObject {
  /** The path of the pack. */
  pack: string;
  offset: number;
  length: number;
}

/** A pack without an index is not read: the index is written last. */
const INDEX = ".idx";
const PACK = ".pack";

/** Knows the objects of all packs in a directory. */
export class PackIndex {
  readonly directory: string;
  #objects: Map<string, PackedObject> | undefined;
  #readAt = 0;

  constructor(directory: string) {
    this.directory = directory;
  }

  find(id: string): PackedObject | undefined {
    this.#objects ??= this.#read();
    return this.#objects.get(id);
  }

  /** Reads the directory again after another process has added or removed packs. */
  findAgain(id: string): PackedObject | undefined {
    if (modifiedAt(this.directory) === this.#readAt) return undefined;
    this.#objects = this.#read();
    return this.#objects.get(id);
  }

  add(entries: ReadonlyMap<string, PackedObject>): void {
    this.#objects ??= this.#read();
    for (const [id, entry] of entries) this.#objects.set(id, entry);
  }

  #read(): Map<string, PackedObject> {
    this.#readAt = modifiedAt(this.directory);
    const objects = new Map<string, PackedObject>();
    for (const name of namesIn(this.directory).filter((entry) => entry.endsWith(INDEX))) {
      for (const [id, entry] of readIndex(join(this.directory, name))) objects.set(id, entry);
    }
    return objects;
  }
}

/** Returns the objects of the pack that an index describes. */
export function readIndex(indexPath: string): [id: string, entry: PackedObject][] {
  const pack = indexPath.slice(0, -INDEX.length) + PACK;
  return textOf(indexPath)
    .split("\n")
    .flatMap((line): [string, PackedObject][] => {
      const [id, offset, length] = line.split(" ");
      return id && length !== undefined ? [[id, { pack, offset: Number(offset), length: Number(length) }]] : [];
    });
}

const FLUSH_BYTES = 4 * 1024 * 1024;

/** Writes the objects of one scan into one file. */
export class PackWriter {
  readonly #index: PackIndex;
  readonly #isStored: (id: string) => boolean;
  readonly #base: string;
  readonly #entries = new Map<string, PackedObject>();
  #fd: number | undefined;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #offset = 0;

  constructor(index: PackIndex, isStored: (id: string) => boolean) {
    this.#index = index;
    this.#isStored = isStored;
    this.#base = join(index.directory, crypto.randomUUID());
  }

  add(bytes: Uint8Array): string {
    const id = createHash("sha256").update(bytes).digest("hex");
    if (this.#entries.has(id) || this.#isStored(id)) return id;
    this.#entries.set(id, { pack: this.#base + PACK, offset: this.#offset, length: bytes.length });
    this.#offset += bytes.length;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= FLUSH_BYTES) this.#flush();
    return id;
  }

  /** The total size of everything added. */
  get bytes(): number {
    return this.#offset;
  }

  commit(): void {
    if (this.#entries.size === 0) return;
    this.#flush();
    this.#close();
    const lines = [...this.#entries].map(([id, { offset, length }]) => `${id} ${offset} ${length}\n`);
    const temporary = `${this.#base}.tmp`;
    const fd = openSync(temporary, "wx", PRIVATE_FILE);
    try {
      writeAll(fd, Buffer.from(lines.join("")));
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, this.#base + INDEX);
    this.#index.add(this.#entries);
  }

  discard(): void {
    if (this.#fd === undefined) return;
    this.#close();
    unlinkSync(this.#base + PACK);
  }

  #flush(): void {
    if (this.#fd === undefined) {
      mkdirSync(this.#index.directory, { recursive: true, mode: PRIVATE_DIRECTORY });
      this.#fd = openSync(this.#base + PACK, "wx", PRIVATE_FILE);
    }
    writeAll(this.#fd, Buffer.concat(this.#waiting));
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isSystemError(error)) return ""; // removed in the meantime
    throw error;
  }
}
