import fs from "node:fs";
import { join } from "node:path";

/** File access for listings. Missing or unreadable files must not cause a failure. */
export interface ListingReader {
  /** Names of the files and directories in a directory. */
  names(directory: string): Promise<{ files: string[]; directories: string[] }>;
  /** Milliseconds since the epoch; undefined if there is no such file. */
  modifiedAt(path: string): number | undefined;
  /** Returns fewer bytes at the end of the file, and none after it. */
  read(path: string, offset: number, length: number): Promise<Buffer>;
}

/** A file that may be a session. */
export interface Candidate {
  path: string;
  modifiedAt: number;
}

/** Number of files read in parallel. */
export const PARALLEL_READS = 8;

export const systemListingReader: ListingReader = {
  async names(directory) {
    const entries = (await ask<fs.Dirent[]>((done) => fs.readdir(directory, { withFileTypes: true }, done))) ?? [];
    const files = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name);
    return { files, directories: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name) };
  },
  modifiedAt(path) {
    try {
      const stats = fs.statSync(path, { throwIfNoEntry: false });
      return stats?.isFile() ? stats.mtimeMs : undefined;
    } catch {
      return undefined; // out of reach
    }
  },
  async read(path, offset, length) {
    const fd = await ask<number>((done) => fs.open(path, "r", done));
    if (fd === undefined) return Buffer.alloc(0);
    try {
      const buffer = Buffer.allocUnsafe(length);
      const size = await ask<number>((done) => fs.read(fd, buffer, 0, length, offset, done));
      return buffer.subarray(0, size ?? 0);
    } finally {
      fs.closeSync(fd);
    }
  },
};

type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/** Returns undefined on an error. Avoids node:fs/promises, which takes milliseconds to load. */
function ask<T>(start: (done: Done<T>) => void): Promise<T | undefined> {
  return new Promise((resolve) => start((error, value) => resolve(error ? undefined : value)));
}

/** Returns the files in a directory that may be sessions. */
export async function sessionPaths(reader: ListingReader, directory: string): Promise<string[]> {
  const { files } = await reader.names(directory);
  return files.filter((name) => name.endsWith(".jsonl") && !name.startsWith(".")).map((name) => join(directory, name));
}

/**
 * Returns the files in a directory and its subdirectories. Hidden names are never sessions, and a directory with the name of a
 * session contains what belongs to that session: outputs and subagents.
 */
export async function pathsBelow(reader: ListingReader, directory: string): Promise<string[]> {
  const { files, directories } = await reader.names(directory);
  const visible = directories.filter((name) => !name.startsWith(".") && !files.includes(`${name}.jsonl`));
  const all = [directory, ...visible.map((name) => join(directory, name))];
  return (await mapLimited(all, (each) => sessionPaths(reader, each))).flat();
}

/** How long other work waits for a listing. */
const SLICE_MS = 2;

/**
 * Returns which of the files exist, newest first. Asks the system directly and lets others work in between: a round trip to
 * another thread for each of thousands of files would take several times as long as the answers.
 */
export async function candidatesIn(reader: ListingReader, paths: readonly string[]): Promise<Candidate[]> {
  const found: Candidate[] = [];
  let sliceEnd = performance.now() + SLICE_MS;
  for (const path of paths) {
    const modifiedAt = reader.modifiedAt(path);
    if (modifiedAt !== undefined) found.push({ path, modifiedAt });
    if (performance.now() < sliceEnd) continue;
    await new Promise(setImmediate);
    sliceEnd = performance.now() + SLICE_MS;
  }
  return found.sort((a, b) => b.modifiedAt - a.modifiedAt || (a.path < b.path ? 1 : -1));
}

export async function mapLimited<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item); // one iterator, shared by all workers
  };
  await Promise.all(Array.from({ length: PARALLEL_READS }, worker));
  return results;
}
