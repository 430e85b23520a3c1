import { type FileHandle, open, unlink } from "node:fs/promises";
import { errorCode } from "@pintle/foundation";

export interface SpillTarget {
  /**
   * Returns the path of the file to create, in a directory that is private to the user. Called again if that file already exists.
   */
  newPath(): string | Promise<string>;
  maxBytes: number;
}

export interface SpillResult {
  path?: string | undefined;
  /** True if the file ends before the output does. */
  isCapped: boolean;
  /** Set if the output could not be stored; there is no file. */
  error?: Error;
}

/** If more is queued, the command has to wait for the disk. */
const MAX_QUEUED_BYTES = 2 * 1024 * 1024;
/**
 * Less is collected for a moment before it is written: with a write for each piece that a pipe delivers, a flood of output costs
 * more in round trips to another thread than in bytes.
 */
const BATCH_BYTES = 512 * 1024;
const COLLECT_MS = 20;
/** Systems accept at most 1024 buffers in one call. */
const MAX_BATCH = 512;
const MAX_NAME_ATTEMPTS = 100;
const NEWLINE = 0x0a;

/** Stores raw output in a file. A failing disk is reported at the end and does not affect the command. */
export class OutputSpill {
  readonly #target: SpillTarget;
  #file: { path: string; handle: FileHandle } | undefined;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #acceptedBytes = 0;
  #lastByte: number | undefined;
  #isCapped = false;
  #isEnding = false;
  /** Ends the wait for more, if there is one. */
  #stopCollecting: () => void = () => {};
  #flushing: Promise<void> | undefined;
  #error: Error | undefined;

  constructor(target: SpillTarget) {
    this.#target = target;
  }

  /** The path of the file, once it has been created. */
  get path(): string | undefined {
    return this.#file?.path;
  }

  /**
   * Takes ownership of the chunk. If it returns a promise, await it before the next write, because the disk is slower than the
   * command.
   */
  write(chunk: Uint8Array): Promise<void> | undefined {
    const room = this.#target.maxBytes - this.#acceptedBytes;
    if (chunk.length > room) this.#isCapped = true;
    this.#enqueue(chunk.subarray(0, Math.max(0, room)));
    return this.#queuedBytes > MAX_QUEUED_BYTES ? this.#flushing : undefined;
  }

  async finish(): Promise<SpillResult> {
    if (this.#isCapped) this.#enqueue(this.#capNote());
    this.#isEnding = true;
    this.#stopCollecting();
    await this.#flushing;
    await this.#close();
    if (this.#error) return { isCapped: false, error: this.#error };
    return { path: this.#file?.path, isCapped: this.#isCapped };
  }

  #capNote(): Uint8Array {
    const separator = this.#lastByte === undefined || this.#lastByte === NEWLINE ? "" : "\n";
    return Buffer.from(`${separator}[pintle: only the first ${this.#acceptedBytes} bytes of the output are kept]\n`);
  }

  #enqueue(chunk: Uint8Array): void {
    if (this.#error || chunk.length === 0) return;
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    this.#acceptedBytes += chunk.length;
    this.#lastByte = chunk[chunk.length - 1];
    if (this.#queuedBytes >= BATCH_BYTES) this.#stopCollecting();
    this.#flushing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    try {
      this.#file ??= await createFile(this.#target);
      while (this.#queue.length > 0) {
        if (this.#queuedBytes < BATCH_BYTES && !this.#isEnding) await this.#collected();
        const batch = this.#queue.splice(0, MAX_BATCH);
        await writeAll(this.#file.handle, batch);
        for (const chunk of batch) this.#queuedBytes -= chunk.length;
      }
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error(String(error));
      this.#queue = [];
      this.#queuedBytes = 0;
    }
    this.#flushing = undefined;
  }

  /** Resolves when enough is queued, the output has ended, or a moment has passed. */
  #collected(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, COLLECT_MS);
      this.#stopCollecting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #close(): Promise<void> {
    if (!this.#file) return;
    const { handle, path } = this.#file;
    await handle.close().catch((error: Error) => {
      this.#error ??= error;
    });
    // Half a file would look complete, and the disk may be full.
    if (this.#error) await unlink(path).catch(() => {});
  }
}

async function createFile(target: SpillTarget): Promise<{ path: string; handle: FileHandle }> {
  for (let attempt = 1; ; attempt += 1) {
    const path = await target.newPath();
    try {
      return { path, handle: await open(path, "wx", 0o600) };
    } catch (error) {
      if (errorCode(error) !== "EEXIST" || attempt === MAX_NAME_ATTEMPTS) throw error;
    }
  }
}

async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  for (let left = chunks; left.length > 0; ) {
    const { bytesWritten } = await handle.writev(left);
    left = afterBytes(left, bytesWritten);
  }
}

function afterBytes(chunks: readonly Uint8Array[], count: number): Uint8Array[] {
  let skip = count;
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(skip, chunk.length));
    skip -= chunk.length - rest.length;
    return rest.length > 0 ? [rest] : [];
  });
}
