import { createHash } from "node:crypto";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
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

const INDEX = ".idx";
const PACK = ".pack";
/** Reads a line of an index; one that a killed process cut off does not match. */
const LINE = /^([0-9a-f]{64}) (\d+) (\d+);$/;

/** Knows the objects of all packs in a directory. */
export class PackIndex {
  readonly directory: string;
  #objects: Map<string, PackedObject> | undefined;
  #version = "";

  constructor(directory: string) {
    this.directory = directory;
  }

  find(id: string): PackedObject | undefined {
    this.#objects ??= this.#read();
    return this.#objects.get(id);
  }

  /** Reads the indexes again if other processes have added or removed packs. */
  refresh(): void {
    if (!this.#objects || versionOf(this.directory) !== this.#version) this.#objects = this.#read();
  }

  /** Adds objects of a pack that this process has written. */
  add(entries: ReadonlyMap<string, PackedObject>): void {
    this.#objects ??= this.#read();
    for (const [id, entry] of entries) this.#objects.set(id, entry);
  }

  /** Runs work that adds a pack of this process, after which the indexes need not be read again. */
  adding(work: () => void): void {
    const isFresh = this.#objects !== undefined && versionOf(this.directory) === this.#version;
    work();
    if (isFresh) this.#version = versionOf(this.directory);
  }

  forget(): void {
    this.#objects = undefined;
  }

  #read(): Map<string, PackedObject> {
    this.#version = versionOf(this.directory);
    const objects = new Map<string, PackedObject>();
    for (const { path, entries } of readPacks(this.directory)) {
      for (const [id, { offset, length }] of entries) objects.set(id, { pack: path, offset, length });
    }
    return objects;
  }
}

/** A pack with its objects by id. */
export interface Pack {
  path: string;
  indexPath: string;
  entries: Map<string, { offset: number; length: number }>;
}

export function readPacks(directory: string): Pack[] {
  return namesIn(directory)
    .filter((name) => name.endsWith(INDEX))
    .map((name) => {
      const indexPath = join(directory, name);
      const entries: Pack["entries"] = new Map();
      for (const line of textOf(indexPath).split("\n")) {
        const [, id, offset, length] = LINE.exec(line) ?? [];
        if (id !== undefined) entries.set(id, { offset: Number(offset), length: Number(length) });
      }
      return { path: indexPath.slice(0, -INDEX.length) + PACK, indexPath, entries };
    });
}

const FLUSH_BYTES = 4 * 1024 * 1024;

/** Writes one pack. Its index is written after the bytes, so what a killed process leaves is complete or not listed. */
export class PackWriter {
  readonly #index: PackIndex;
  readonly #base: string;
  readonly #new = new Map<string, PackedObject>();
  #files: { pack: number; index: number } | undefined;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #offset = 0;

  constructor(index: PackIndex) {
    this.#index = index;
    this.#base = join(index.directory, crypto.randomUUID());
  }

  add(bytes: Uint8Array): string {
    const id = createHash("sha256").update(bytes).digest("hex");
    if (this.#new.has(id) || this.#index.find(id)) return id;
    this.#new.set(id, { pack: this.#base + PACK, offset: this.#offset, length: bytes.length });
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

  /** False if another process has removed the pack. */
  get isThere(): boolean {
    return !this.#files || fstatSync(this.#files.pack).nlink > 0;
  }

  commit(): void {
    if (this.#new.size === 0) return;
    this.#flush();
    const lines = [...this.#new].map(([id, { offset, length }]) => `${id} ${offset} ${length};\n`);
    writeAll(this.#open().index, Buffer.from(lines.join("")));
    this.#index.add(this.#new);
    this.#new.clear();
  }

  close(): void {
    if (!this.#files) return;
    closeSync(this.#files.pack);
    closeSync(this.#files.index);
    this.#files = undefined;
  }

  discard(): void {
    if (!this.#files) return;
    this.close();
    unlinkSync(this.#base + PACK);
    unlinkSync(this.#base + INDEX);
  }

  #flush(): void {
    if (this.#waitingBytes === 0) return;
    const [first, ...others] = this.#waiting;
    writeAll(this.#open().pack, others.length === 0 ? first! : Buffer.concat(this.#waiting));
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #open(): { pack: number; index: number } {
    if (!this.#files) {
      this.#index.adding(() => {
        mkdirSync(this.#index.directory, { recursive: true, mode: PRIVATE_DIRECTORY });
        const pack = openSync(this.#base + PACK, "wx", PRIVATE_FILE);
        this.#files = { pack, index: openSync(this.#base + INDEX, "wx", PRIVATE_FILE) };
      });
    }
    return this.#files!;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
}

function versionOf(directory: string): string {
  const stats = statSync(directory, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.mtimeMs}` : "";
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
