import type { Stats } from "node:fs";
import { type FileHandle, mkdir, open, readlink, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openRegularFile } from "@pintle/foundation";
import { GitError } from "./git.ts";

const AT_ONCE = 16;
const CHUNK_BYTES = 1024 * 1024;
const OWNER_MAY_CHANGE = 0o600;
const PERMISSIONS = 0o777;

interface Folders {
  from: string;
  to: string;
  signal?: AbortSignal | undefined;
}

/**
 * Copies files and links with their modes and times into an empty folder. Throws if one of them changes its kind in the
 * meantime.
 */
export async function copyFiles(present: ReadonlyMap<string, Stats>, { from, to, signal }: Folders): Promise<void> {
  const paths = [...present.keys()];
  const files = paths.filter((path) => present.get(path)!.isFile());
  const links = paths.filter((path) => !present.get(path)!.isFile());
  for (const folder of new Set(paths.map((path) => dirname(path)))) await mkdir(join(to, folder), { recursive: true });
  // Links come last, so that no file is written through one of them.
  await forEach(files, signal, (path) => copyFile(path, from, to));
  await forEach(links, signal, async (path) => symlink(await readlink(join(from, path)), join(to, path)));
}

async function forEach(
  paths: readonly string[],
  signal: AbortSignal | undefined,
  work: (path: string) => Promise<void>,
): Promise<void> {
  const queue = paths.values();
  const worker = async () => {
    for (const path of queue) {
      signal?.throwIfAborted();
      await work(path);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function copyFile(path: string, from: string, to: string): Promise<void> {
  const source = join(from, path);
  const opened = await openRegularFile(source, source);
  if ("special" in opened) throw new GitError(`${source} has become a ${opened.special}`);
  await using handle = opened.handle;
  const { mode, atime, mtime } = opened.stats;
  await using target = await open(join(to, path), "wx", (mode & PERMISSIONS) | OWNER_MAY_CHANGE);
  await pump(handle, target, opened.stats.size);
  await target.chmod((mode & PERMISSIONS) | OWNER_MAY_CHANGE); // the system's mask must not take bits away
  await target.utimes(atime, mtime); // builds compare times
}

async function pump(source: FileHandle, target: FileHandle, size: number): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, size)));
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    for (let at = 0; at < bytesRead; ) at += (await target.write(buffer, at, bytesRead - at, null)).bytesWritten;
  }
}
