import { constants } from "node:fs";
import { dirname, join } from "node:path";
import { type Disk, isSystemError, PRIVATE_FILE } from "@pintle/foundation";
import { makePrivateDirectory, replaceFile } from "../disk/atomic-file.ts";

/** The prefix of a reference to a blob. */
export const BLOB_PREFIX = "blob:sha256:";
/** Larger than any image a provider accepts. */
const MAX_BYTES = 64 * 1024 * 1024;
const REFERENCE = /^blob:sha256:([0-9a-f]{64})$/;

export function isBlobReference(text: string): boolean {
  return REFERENCE.test(text);
}

/**
 * Stores binary data next to the sessions, named by its content, so an image is stored once however often it appears.
 */
export class BlobStore {
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  /**
   * Returns the reference to write in place of the data, or undefined if it cannot be stored here and must stay where
   * it is.
   */
  put(bytes: Uint8Array): string | undefined {
    const hash = hashOf(bytes);
    try {
      if (!this.#has(hash, bytes.length)) this.#write(hash, bytes);
    } catch (error) {
      if (isSystemError(error)) return undefined;
      throw error;
    }
    return `${BLOB_PREFIX}${hash}`;
  }

  /** `sessionFile` helps to find the blobs of a session in another agent's directory. */
  read(reference: string, sessionFile?: string): Buffer | undefined {
    const hash = REFERENCE.exec(reference)?.[1];
    if (hash === undefined) return undefined;
    const foreign = sessionFile === undefined ? [] : [join(dirname(sessionFile), "../../blobs")];
    for (const directory of [this.#directory, ...foreign]) {
      const bytes = this.#read(join(directory, hash));
      if (bytes && hashOf(bytes) === hash) return bytes;
    }
    return undefined;
  }

  /** A file of a different size was left by a power failure. */
  #has(hash: string, size: number): boolean {
    return this.#disk.statSync(join(this.#directory, hash), { throwIfNoEntry: false })?.size === size;
  }

  #write(hash: string, bytes: Uint8Array): void {
    makePrivateDirectory(this.#disk, this.#directory);
    replaceFile(this.#disk, join(this.#directory, hash), {
      temporary: join(this.#directory, `.${hash}.${crypto.randomUUID()}.tmp`),
      mode: PRIVATE_FILE,
      chunks: [bytes],
    });
  }

  /**
   * The author of the session file may also have created what is next to it: a pipe that would block, or a link to one
   * of the user's files, which would reach the model as an image.
   */
  #read(path: string): Buffer | undefined {
    try {
      const fd = this.#disk.openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
      try {
        const facts = this.#disk.fstatSync(fd);
        return facts.isFile() && facts.size <= MAX_BYTES ? this.#disk.readFileSync(fd) : undefined;
      } finally {
        this.#disk.closeSync(fd);
      }
    } catch (error) {
      if (isSystemError(error)) return undefined; // missing or unreadable; the context says so
      throw error;
    }
  }
}

function hashOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
