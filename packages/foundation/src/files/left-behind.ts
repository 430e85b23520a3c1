import { lstat, readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, isSystemError } from "./system-error.ts";

/** A temporary file lives for moments, so one of this age belongs to a process that was killed. */
const FILE_AGE_MS = 60 * 60 * 1000;
/** An output directory lives as long as its process, which may not be visible from here (in another container). */
const DIRECTORY_AGE_MS = 24 * 60 * 60 * 1000;
/** Each start checks at most this many files; a later one may check the rest. */
const MAX_DIRECTORIES = 256;
const MAX_REMOVED = 1_000;

/** The temporary names that replaceFile, sessions, blobs and locks use before renaming. */
const TEMPORARY = new RegExp(
  [
    String.raw`^\.pintle-[0-9a-f-]{36}\.tmp$`,
    String.raw`^\..+\.jsonl\.[0-9a-f-]{36}\.tmp$`,
    String.raw`^\.[0-9a-f]{64}\.[0-9a-f-]{36}\.tmp$`,
    String.raw`^.+\.lock(\.[0-9a-f]+)*\.[0-9a-f]{12}\.tmp$`,
  ].join("|"),
);

/** The prefix of a process's output directory in the system's temporary directory. */
export const scratchPrefix = (pid: number) => `pintle-${pid}-`;
const SCRATCH = /^pintle-(\d+)-[A-Za-z0-9]{6}$/;

export interface Places {
  /** Directories to check. */
  directories: readonly string[];
  /** Directories to check together with their subdirectories. */
  trees: readonly string[];
  /** The directory that contains the scratch directories of processes. */
  temporary: string;
  now?: () => number;
}

/** Removes what killed processes left behind. What cannot be read or removed is left alone. Returns the removed paths. */
export async function removeLeftBehind({ directories, trees, temporary, now = Date.now }: Places): Promise<string[]> {
  const inTrees = await Promise.all(trees.map(async (tree) => [tree, ...(await subdirectories(tree))]));
  const removed: string[] = [];
  for (const directory of [...new Set([...directories, ...inTrees.flat()])].slice(0, MAX_DIRECTORIES)) {
    for (const name of (await namesIn(directory)).filter((found) => TEMPORARY.test(found))) {
      if (removed.length >= MAX_REMOVED) return removed;
      const path = join(directory, name);
      if (await isOlder(path, now() - FILE_AGE_MS, "file")) await attempt(unlink(path), () => removed.push(path));
    }
  }
  for (const name of await namesIn(temporary)) {
    const pid = Number(SCRATCH.exec(name)?.[1] ?? Number.NaN);
    const path = join(temporary, name);
    if (removed.length >= MAX_REMOVED || Number.isNaN(pid) || isAlive(pid)) continue;
    if (!(await isOlder(path, now() - DIRECTORY_AGE_MS, "directory"))) continue;
    await attempt(rm(path, { recursive: true }), () => removed.push(path));
  }
  return removed;
}

async function namesIn(directory: string): Promise<string[]> {
  return (await attempt(readdir(directory))) ?? [];
}

/** In random order, so that each start covers different files if there are too many. */
async function subdirectories(directory: string): Promise<string[]> {
  const entries = (await attempt(readdir(directory, { withFileTypes: true }))) ?? [];
  const found = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name));
  return found
    .map((path) => ({ path, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ path }) => path);
}

async function isOlder(path: string, limit: number, kind: "file" | "directory"): Promise<boolean> {
  const found = await attempt(lstat(path));
  if (!found || found.uid !== process.getuid?.()) return false;
  return (kind === "file" ? found.isFile() : found.isDirectory()) && found.mtimeMs < limit;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

async function attempt<T>(step: Promise<T>, onDone?: () => void): Promise<T | undefined> {
  try {
    const result = await step;
    onDone?.();
    return result;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}
